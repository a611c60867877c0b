/**
 * Pieces of commits as they are stored, the commonest last. What was packed with them can only be read with them: never
 * changed, only followed by another list under another number.
 */
export const WORDS_OF_COMMITS = [
  '{"v":1,"seq":,"type":"interrupted","interruptId":"i","reason":"awaiting_approval","tool":"","argsHash":"","expiresAt":"',
  '"type":"resumed","by":"","outcome":{"decision":"approve","at":"202"}}]}',
  '"type":"tool_call_failed","error":{"code":"","message":""},"outcome":"unknown""failed","retryAt":"',
  '"idempotencyKey":"run_01","effect":"once""read""keyed","window":"lookup","horizon":,"approval":"i',
  '"type":"tool_returned","callId":".0","source":"executed","result":{"',
  '"type":"tool_call_requested","callId":".0","name":"","args":{"',
  '}],"finishReason":{"unified":"stop","raw":"tool-calls","raw":"tool_calls"},',
  '"usage":{"inputTokens":,"outputTokens":,"cachedInputTokens":0}}]}',
  '"type":"model_responded","completion":{"content":[{"type":"text","text":"',
  '"},{"type":"tool-call","toolCallId":"","toolName":"","input":"{\\"\\":\\"\\"}"}]},"calls":[{"toolCallId":"","name":"',
  '"params":{"provider":"","modelId":"","settings":{},"history":{"turns":,"omittedMessages":0}},"estimatedTokens":',
  '{"owner":"01","messageId":"01","hash":"","events":[{"v":1,"seq":,"at":"202-0-T:.Z',
  '","type":"model_call_requested","step":,"requestHash":"',
  ',"attempt":1,"claim":{"owner":"01","messageId":"01","deadline":"202-0-T:.Z"}}]}',
].join('');

/** Pieces of a snapshot, which is JSON text in JSON. */
export const WORDS_OF_SNAPSHOTS = [
  JSON.stringify(
    [
      '"turn":{"step":,"response":{"role":"assistant","seq":,"completion":{"value":{"content":[{"type":"text","text":"',
      '"calls":[{"toolCallId":"","name":"","callId":".0","index":0,"phase":"paused","step":0,"attempt":0,"crashes":0,"args":{"value":{"',
      '{"head":,"status":"running","agent":"","revision":"","promptHash":"","labels":{},"limits":{"depth":5},',
      '"spent":{"steps":,"tokens":,"costUsd":0,"since":"202"},"startedAt":"202","updatedAt":"202","step":,',
      '"usage":{"inputTokens":,"outputTokens":,"cachedInputTokens":0,"modelCalls":,"toolCalls":},"inbox":{"next":1,"ids":[]},',
      '"model":{"phase":"ready","step":0,"attempt":0,"crashes":0},"interrupts":[],"waiting":[],"signals":[],"misfits":0,',
      '"transcript":{"hash":"","chunks":[{"sha256":"","bytes":,"entries":}],"places":[[4,2],[4,2],[4,2]],"tail":[],',
      '"first":{"role":"user","seq":0,"content":{"value":"}},"values":[],"through":["01"],"input":{"value":"}}',
    ].join(''),
  ),
  '{"seq":,"fold":,"state":{"sha256":"","text":"',
].join('');
