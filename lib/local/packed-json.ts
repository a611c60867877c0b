import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** How a value was packed: the first of its bytes. A number is never given another meaning, nor its words changed. */
const PLAIN = 0;
const DEFLATED_WITH_WORDS = 1;

/** What is shorter than this gains nothing. */
const WORTH_DEFLATING = 64;

/**
 * JSON as bytes, deflated. Most commits are small and made of the same words, which a compressor has to be told
 * beforehand: with them a claim takes half the bytes.
 */
export function packJson(value: unknown): Uint8Array {
  const bytes = Buffer.from(JSON.stringify(value));
  if (bytes.length < WORTH_DEFLATING) return Buffer.concat([Buffer.of(PLAIN), bytes]);
  return Buffer.concat([Buffer.of(DEFLATED_WITH_WORDS), deflateRawSync(bytes, { dictionary: WORDS })]);
}

export function unpackJson(packed: Uint8Array): unknown {
  const bytes = packed.subarray(1);
  const plain = packed[0] === PLAIN ? Buffer.from(bytes) : inflateRawSync(bytes, { dictionary: WORDS });
  return JSON.parse(plain.toString());
}

/** Pieces of a snapshot, which is JSON text in JSON, then of commits, the commonest last. */
const WORDS = Buffer.from(
  [
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
  ].join(''),
);
