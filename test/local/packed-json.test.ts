import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packJson, unpackJson } from '../../lib/local/packed-json.ts';

const CLAIM = {
  owner: '01M8SK7X8641B0G33FRQDV5PDT.01M8SK7X950QRWSSFZ6S8ZXVD1',
  messageId: '01M8SK7X950QRWSSFZ6S8ZXVD0',
  hash: '',
  events: [
    {
      v: 1,
      seq: 1,
      at: '2026-12-01T20:02:52.847Z',
      type: 'model_call_requested',
      step: 1,
      requestHash: '',
      params: { provider: 'scripted', modelId: 'scripted' },
      attempt: 1,
      claim: {
        owner: '01M8SK7X8641B0G33FRQDV5PDT.01M8SK7X950QRWSSFZ6S8ZXVD1',
        messageId: '01M8SK7X950QRWSSFZ6S8ZXVD0',
        deadline: '2026-12-01T20:06:07.847Z',
      },
    },
  ],
};

const STATE = {
  head: 7,
  status: 'running',
  agent: 'a',
  transcript: {
    hash: '',
    chunks: [],
    places: [
      [2, 2],
      [4, 2],
    ],
    tail: [],
  },
};
const SNAPSHOT = { seq: 7, fold: 5, state: { sha256: '', text: JSON.stringify(STATE) } };

test('any JSON comes back as it was', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      for (const kind of ['commit', 'snapshot'] as const)
        expect(unpackJson(packJson(value, kind))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('a claim takes a third of its JSON', () => {
  expect(packJson(CLAIM, 'commit').length).toBeLessThan(JSON.stringify(CLAIM).length / 3);
});

test('what was stored once stays readable: neither the words nor their numbers change', () => {
  const stored =
    'AUPW6WsR7G0eYWFmYuhk4G5s7BYU6BJmGuASogeTsjQ1CAwKDw52izILtoiKCHPBtAyHQgMiQsgQEURmuoZGugaGIUYGVgZGVqZGehYm5sQGmCF6' +
    'iCnpYE8qxclFmdDyFpFk4IK1BAOaxsGFGmfIIWJmZWAOCRFQDAIA';
  expect(unpackJson(Buffer.from(stored, 'base64'))).toEqual(CLAIM);
  const snapshot = 'AoMqNoepNiWgHJ6/zInJYImQwoPI6EALZSPs4Vtbq1RbCwA=';
  expect(unpackJson(Buffer.from(snapshot, 'base64'))).toEqual(SNAPSHOT);
});
