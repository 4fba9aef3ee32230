import { afterAll, beforeAll, expect, test } from 'vitest';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Change } from '../../src/replay/comparison.ts';
import { openWorkplace, type Workplace } from '../cli/command-line.ts';

const CALM = { loadMs: 20_000, queueMs: 20_000 };

/** Blocks a shell, and where it is configured changes what a mail says. */
function guardFiles(folder: string, { redacts }: { readonly redacts: boolean }) {
  return {
    [`${folder}/package.json`]: { name: '@acme/guards', version: redacts ? '2.0.0' : '1.0.0' },
    [`${folder}/hooks/guard/hook.json`]: {
      name: 'guard',
      points: ['preToolUse'],
      capabilities: ['reads_tool_io', 'gates_tools', 'store:read:limits'],
      timeoutMs: 10_000,
    },
    [`${folder}/hooks/guard/index.mjs`]: `export const run = async (point, payload, ctx) => {
      const limit = await ctx.store.get('limits', 'mail');
      if (payload.toolName === 'shell') return { action: 'block', reason: 'no shell' };
      if (payload.toolName === 'mail' && ${redacts}) return { action: 'modify', payload: { args: { text: 'x'.repeat(limit) } } };
      return { action: 'allow' };
    };\n`,
  };
}

const entry = (path: string): object => ({
  package: path,
  grants: ['reads_tool_io', 'gates_tools', 'store:read:limits'],
});

const call = (id: string, name: string): object => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify({ text: 'the secret' }) },
});

const MESSAGES = [
  { role: 'user', content: 'hello' },
  { role: 'assistant', content: null, tool_calls: [call('a', 'mail'), call('b', 'shell')] },
  { role: 'tool', tool_call_id: 'a', content: 'sent' },
  { role: 'tool', tool_call_id: 'b', content: 'done' },
  { role: 'assistant', content: 'good' },
];

let place: Workplace;

beforeAll(async () => {
  place = await openWorkplace({
    ...guardFiles('one', { redacts: false }),
    ...guardFiles('two', { redacts: true }),
    'runtime.json': { packages: [entry('./one')], limits: CALM },
    'other.json': { packages: [entry('./two')], limits: CALM },
    'shadow.json': {
      packages: [entry('./one')],
      limits: CALM,
      hooks: { mode: { guard: 'shadow' } },
    },
    'limits.jsonl': '{"key":"mail","value":3}\n',
    'talks.jsonl': `${[1, 2, 3].map((id) => JSON.stringify({ id: `c${id}`, messages: MESSAGES })).join('\n')}\n`,
  });
  await place.run(['store', 'load', 'limits', 'limits.jsonl']);
}, 60_000);

afterAll(() => place.remove());

const compare = (...args: string[]) => place.run(['replay', '--compare', ...args]);

test('two configurations that decide alike change nothing', async () => {
  const ended = await compare('runtime.json', 'runtime.json', 'talks.jsonl');
  expect(ended).toMatchObject({ code: 0, err: '' });
  expect(ended.out).toMatch(/^0 of \d+ fires change$/m);
}, 90_000);

test('what a new version changes is listed by call, payloads included but never shown', async () => {
  const ended = await compare('runtime.json', 'other.json', 'talks.jsonl', '--json');
  const changes = ended.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Change);
  expect(ended.code).toBe(1);
  expect(changes.map(({ conversation }) => conversation)).toEqual(['c1', 'c2', 'c3']);
  expect(changes[0]).toEqual({
    conversation: 'c1',
    call: 0,
    point: 'preToolUse',
    tool: 'mail',
    changed: ['action', 'hook', 'payload'],
    before: { action: 'allow', hook: null, code: null, reason: null },
    after: { action: 'modify', hook: 'guard', code: null, reason: null },
  });
  expect(ended.out).not.toMatch(/secret|xxx/);
}, 90_000);

test('a package can be put in the place of the one that runs', async () => {
  const ended = await compare('runtime.json', './one=./two', 'talks.jsonl');
  expect(ended.code).toBe(1);
  expect(ended.out).toMatch(/c1 +0 +preToolUse +mail +allow +modify guard +action, hook, payload/);
  expect(ended.out).toMatch(/^3 of \d+ fires change$/m);
}, 90_000);

test('a guard that only looks on is shown as one that no longer blocks', async () => {
  const ended = await compare('runtime.json', 'shadow.json', 'talks.jsonl');
  expect(ended.out).toMatch(/c3 +1 +preToolUse +shell +block guard +allow +action, hook, reason/);
}, 90_000);

test('a comparison leaves no record behind', async () => {
  const { out } = await place.run(['records', 'list', '--json']);
  expect(JSON.parse(out)).toEqual({ records: [] });
  expect(existsSync(join(place.folder, '.signalbox/store.db'))).toBe(true);
}, 90_000);

test.each([
  [['runtime.json', 'other.json']],
  [['runtime.json', 'other.json', '-']],
  [['runtime.json', 'absent.json', 'talks.jsonl']],
  [['runtime.json', '@acme/absent=./two', 'talks.jsonl']],
])(
  'a comparison that cannot be made is a usage error: %j',
  async (args) => {
    expect(await compare(...args)).toMatchObject({ code: 2, out: '' });
  },
  90_000,
);
