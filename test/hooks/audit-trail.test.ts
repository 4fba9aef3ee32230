import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../house/imports.ts';

const { default: hook } = (await import(join(ROOT, 'hooks/audit-trail/index.mjs'))) as {
  default: { run(point: string, payload: object, ctx: object): object };
};

test.each([
  ['postTurn', { turn: 2, input: 'secret', output: 'answer' }, 'turn 2: 6 characters in, 6 out'],
  [
    'runEnd',
    { response: 'answer', status: 'completed' },
    'run completed: 6 characters in the answer',
  ],
])('at %s it notes lengths, and lets pass', (point, payload, line) => {
  const lines: string[] = [];
  const decision = hook.run(point, payload, { log: (text: string) => lines.push(text) });
  expect({ decision, lines }).toEqual({ decision: { action: 'allow' }, lines: [line] });
});
