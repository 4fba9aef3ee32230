import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { FAULT_NAMES } from '../../src/testing/faults.ts';
import { openWorkplace, type Workplace } from '../cli/command-line.ts';

vi.setConfig({ testTimeout: 180_000 });

let place: Workplace;

const MODULE =
  'export const createHook = () => ({ async run(point, payload, ctx) { await ctx.store.get("a", "b"); return { action: "allow" }; } });';
const manifest = (name: string, more: object = {}) => ({
  name,
  points: ['preToolUse'],
  capabilities: ['reads_tool_io', 'gates_tools', 'store:read'],
  timeoutMs: 400,
  ...more,
});

beforeAll(async () => {
  place = await openWorkplace({
    'runtime.json': {
      packages: [{ package: './guards', grants: ['reads_tool_io', 'gates_tools', 'store:read'] }],
      limits: { loadMs: 60_000, queueMs: 60_000 },
    },
    'hooks/local/hook.json': manifest('local'),
    'hooks/local/index.mjs': MODULE,
    'guards/package.json': { name: 'guards', version: '1.0.0', type: 'module' },
    'guards/hooks/strict/hook.json': manifest('strict'),
    'guards/hooks/strict/index.mjs': MODULE,
    'guards/hooks/lax/hook.json': manifest('lax', { failPolicy: 'open', timeoutMs: 20_000 }),
    'guards/hooks/lax/index.mjs': MODULE,
  });
});

afterAll(() => place.remove());

async function faults(hook: string, fault: string) {
  const { out, err, code } = await place.run(['test', '--hook', hook, '--fault', fault, '--json']);
  expect(err).toBe('');
  expect(code).toBe(0);
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string>);
}

test.each(['strict', 'local'])(
  'whatever happens to the closed hook %s, callers see a block',
  async (hook) => {
    const rows = await faults(hook, 'all');
    expect(rows.map(({ fault }) => fault)).toEqual(FAULT_NAMES);
    for (const { fault, action, code, reason } of rows) {
      expect([fault, action]).toEqual([fault, 'block']);
      expect(code).not.toBe('');
      expect(reason).toBe(`Hook "${hook}" failed (fail-closed)`);
    }
  },
);

test('an open hook lets pass, with the code beside it', async () => {
  expect(await faults('lax', 'throw')).toMatchObject([
    { fault: 'throw', point: 'preToolUse', action: 'allow', code: 'thrown' },
  ]);
});

test('what cannot be tried is told', async () => {
  expect(await place.run(['test', '--hook', 'lax', '--fault', 'quake'])).toMatchObject({ code: 2 });
  expect(await place.run(['test', '--fault', 'all'])).toMatchObject({ code: 2 });
  const unknown = await place.run(['test', '--hook', 'lux', '--fault', 'throw']);
  expect(unknown.err).toContain('did you mean "lax"');
});

test('the conformance run of a hook is there for operators too', async () => {
  expect(await place.run(['test', '--hook', 'lax', '--conformance'])).toMatchObject({
    code: 0,
    out: 'lax conforms\n',
  });
});
