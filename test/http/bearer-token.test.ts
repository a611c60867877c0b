import { expect, test } from 'vitest';
import { hasToken } from '../../lib/http/bearer-token.ts';

test.each([
  ['Bearer secret', true],
  ['bearer   secret', true],
  ['Bearer secre', false],
  ['Bearer secrets', false],
  ['Bearer', false],
  ['Basic secret', false],
  ['', false],
])('%j opens what needs the token: %s', (authorization, opens) => {
  const request = new Request('http://box.example/', { headers: { authorization } });
  expect(hasToken(request, 'secret')).toBe(opens);
});
