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

/** Pieces of commits as they are stored, the commonest last. */
const WORDS = Buffer.from(
  [
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
