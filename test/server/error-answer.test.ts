import { expect, test } from 'vitest';

import { SignalboxError } from '../../sdk/errors.ts';
import { answerOf } from '../../src/server/error-answer.ts';

test("a request's own fault keeps its code, message and hint", () => {
  const error = new SignalboxError('hook_unknown', { hook: 'a', nearest: 'b' });
  expect(answerOf(error, 0)).toEqual({ status: 404, body: { error: error.toJSON() } });
});

test('a fault of the server keeps its code and shows nothing of this machine', () => {
  const faults = [
    new SignalboxError('database', { detail: 'be opened at "/secret/path"' }),
    new Error('/secret/path'),
    Object.assign(new Error('/secret/path'), { statusCode: 400 }),
    undefined,
    'secret',
  ];
  const answers = faults.map((fault) => answerOf(fault, 0));
  expect(answers.map(({ status, body }) => [status, body.error.code])).toEqual([
    [500, 'database'],
    [500, 'internal'],
    [400, 'request_invalid'],
    [500, 'internal'],
    [500, 'internal'],
  ]);
  expect(JSON.stringify(answers)).not.toContain('secret');
});
