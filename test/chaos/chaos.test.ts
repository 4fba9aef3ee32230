import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { injectFault } from '../../src/chaos/chaos.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { openWorkplace, type Workplace } from '../cli/command-line.ts';

vi.setConfig({ testTimeout: 180_000 });

let place: Workplace;

const GRANTS = ['reads_tool_io', 'gates_tools', 'reads_input', 'gates_input'];

const BLOCKS_SHELL =
  "payload.toolName === 'shell' ? { action: 'block', reason: 'no' } : { action: 'allow' }";

function hook(name: string, says: string, more: object = {}) {
  return {
    [`guards/hooks/${name}/hook.json`]: {
      name,
      points: ['preToolUse'],
      capabilities: GRANTS,
      timeoutMs: 400,
      ...more,
    },
    [`guards/hooks/${name}/index.mjs`]: `export const run = (point, payload) => (${says});\n`,
  };
}

beforeAll(async () => {
  place = await openWorkplace({
    'runtime.json': {
      packages: [{ package: './guards', grants: GRANTS }],
      limits: { loadMs: 60_000, queueMs: 60_000 },
    },
    'guards/package.json': { name: 'guards', version: '1.0.0', type: 'module' },
    ...hook('strict', BLOCKS_SHELL, { points: ['preToolUse', 'preInput'] }),
    ...hook('lax', "{ action: 'allow' }", { failPolicy: 'open' }),
    'guards/hooks/strict/fixtures/blocks-shell.json': {
      point: 'preToolUse',
      payload: { toolName: 'shell' },
      expect: { action: 'block' },
    },
    'guards/hooks/strict/fixtures/allows-mail.json': {
      point: 'preToolUse',
      payload: { toolName: 'mail' },
      expect: { action: 'allow' },
    },
  });
});

afterAll(() => place.remove());

test.each(['timeout', 'crash'] as const)(
  'callers of a closed guard that fails by %s get a block, each of as many as were asked for',
  async (fault) => {
    const config = await loadConfig(join(place.folder, 'runtime.json'));
    const { signal } = new AbortController();
    const rows = await injectFault({ config, hook: 'strict', fault, calls: 6, signal });
    expect(rows).toMatchObject([
      { point: 'preToolUse', calls: 6, got: { block: 6 }, usually: { block: 3, allow: 3 } },
      { point: 'preInput', calls: 6, got: { block: 6 }, usually: { allow: 6 } },
    ]);
    for (const { codes } of rows) {
      expect(Object.values(codes).reduce((sum, count) => sum + count, 0)).toBe(6);
    }
  },
);

test('an open hook that fails lets calls pass, and an expectation says so', async () => {
  const ended = await place.run(['chaos', 'lax', '--fault', 'throw', '--expect', 'block']);
  expect(ended.code).toBe(1);
  expect(ended.out).toMatch(/preToolUse +20 +20 allow +20 thrown/);
});

test('chaos leaves no record, and no copy of a database', async () => {
  const { out } = await place.run(['records', 'list', '--json']);
  expect(JSON.parse(out)).toEqual({ records: [] });
});

test.each([
  ['strict', '--fault', 'sulking'],
  ['absent', '--fault', 'throw'],
])('chaos that cannot be is a usage error: %s %s %s', async (...args) => {
  expect(await place.run(['chaos', ...args])).toMatchObject({ code: 2, out: '' });
});
