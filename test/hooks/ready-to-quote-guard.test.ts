import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../house/imports.ts';

const SEED = join(ROOT, '../shared/reference/seeds/amodal.txt');
const FOLDER = join(ROOT, 'hooks/ready-to-quote-guard');

interface Guard {
  createHook(config: object): {
    run(point: string, payload: object, ctx: object): Promise<{ action: string; reason?: string }>;
  };
}

const file = join(FOLDER, 'index.mjs');
const { createHook } = (await import(file)) as Guard;
const { config } = JSON.parse(readFileSync(join(FOLDER, 'hook.json'), 'utf8')) as {
  config: object;
};

async function decide(payload: object, point = 'preToolUse') {
  const lines: string[] = [];
  const decision = await createHook(config).run(point, payload, {
    log: (line: string) => lines.push(line),
  });
  return { decision, lines };
}

test.skipIf(!existsSync(SEED))(
  '[AM53b] manifest and module are those of the text, character for character (needs ../shared)',
  () => {
    const text = readFileSync(SEED, 'utf8');
    expect(text).toContain(readFileSync(file, 'utf8').trimEnd());
    expect(text).toContain(readFileSync(join(FOLDER, 'hook.json'), 'utf8').trimEnd());
  },
);

test('[AM53b] a submission with missing documents cannot be ready to quote, and the log says so', async () => {
  const payload = {
    toolName: 'store__submissions__set',
    args: { value: { recommendation: 'ready-to-quote' } },
  };
  expect(await decide(payload)).toEqual({
    decision: {
      action: 'block',
      reason: 'A submission with missing documents cannot be ready-to-quote.',
    },
    lines: ['blocked store__submissions__set: docs incomplete'],
  });
});

test.each([
  [
    'another recommendation',
    { toolName: 'store__submissions__set', args: { value: { recommendation: 'decline' } } },
  ],
  [
    'another tool',
    { toolName: 'store__claims__set', args: { value: { recommendation: 'ready-to-quote' } } },
  ],
  ['a value that is no row', { toolName: 'store__submissions__set', args: { value: 'not a row' } }],
  ['no arguments', { toolName: 'store__submissions__set' }],
])('%s passes without a word', async (_, payload) => {
  expect(await decide(payload)).toEqual({ decision: { action: 'allow' }, lines: [] });
});

test('at another point it lets everything pass', async () => {
  const payload = {
    toolName: 'store__submissions__set',
    args: { value: { recommendation: 'ready-to-quote' } },
  };
  expect((await decide(payload, 'postToolUse')).decision).toEqual({ action: 'allow' });
});
