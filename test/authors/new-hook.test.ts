import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { POINT_NAMES, POINTS } from '../../sdk/points.ts';
import { planScaffold } from '../../src/scaffold/plan.ts';
import { scaffold } from '../../src/scaffold/scaffold.ts';
import { openWorkplace, type Workplace } from '../cli/command-line.ts';

vi.setConfig({ testTimeout: 180_000 });

let place: Workplace;

beforeAll(async () => {
  place = await openWorkplace({});
});

afterAll(() => place.remove());

const STYLE = { kind: 'package', language: 'ts', version: '0.1.0' } as const;

test('a local hook runs its fixtures at once, with a runtime.json where there was none', async () => {
  const made = await place.run(['new', 'watcher', '--local', '--points', 'preInput,preOutput']);
  expect(made).toMatchObject({ code: 0, err: '' });
  expect(made.out).toContain('hooks/watcher/hook.json');
  expect(existsSync(join(place.folder, 'runtime.json'))).toBe(true);
  // A busy machine is no reason to fail here.
  const calm = {
    limits: { loadMs: 60_000, queueMs: 60_000 },
    hooks: { overrides: { watcher: { timeoutMs: 20_000 } } },
  };
  await place.write('runtime.json', JSON.stringify(calm));
  const tested = await place.run(['test', '--hook', 'watcher', '--json']);
  expect(tested.code).toBe(0);
  const rows = tested.out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { problems: string[] });
  expect(rows).toHaveLength(4);
  expect(rows.flatMap(({ problems }) => problems)).toEqual([]);
});

test.each([
  [['new', 'No Wipe!'], /is no name for npm.*"no-wipe"/],
  [['new', '../up'], /is no name for npm/],
  [['new', 'x', '--points', 'preToolUs'], /no point "preToolUs".*"preToolUse"/],
  [['new', 'x', '--capabilities', 'reads_tool'], /no capability "reads_tool".*"reads_tool_io"/],
  [['new', 'x', '--points', ','], /needs a point/],
])('%j says what to write instead, and writes nothing', async (args, message) => {
  const { code, err } = await place.run(args);
  expect(code).toBe(2);
  expect(err).toMatch(message);
  expect(existsSync(join(place.folder, 'x'))).toBe(false);
});

test('what is there already is not written over', async () => {
  await place.write('taken/notes.txt', 'mine');
  const { code, err } = await place.run(['new', 'taken']);
  expect(code).toBe(2);
  expect(err).toContain('"taken" is there already');
  expect(existsSync(join(place.folder, 'taken/package.json'))).toBe(false);
});

test.each(POINT_NAMES)('a hook at %s has fixtures with what the point requires', (point) => {
  const plan = planScaffold({ name: '@acme/some-hook', points: [point] });
  expect(plan.hook).toBe('some-hook');
  expect(plan.isGate).toBe(POINTS[point].decisions.includes('block'));
  const files = scaffold(plan, STYLE);
  const fixtures = [...files].filter(([path]) => path.includes('/fixtures/'));
  expect(fixtures).toHaveLength(2);
  for (const [, text] of fixtures) {
    const { payload } = JSON.parse(text) as { payload: object };
    expect(Object.keys(payload)).toEqual(
      expect.arrayContaining([...(POINTS[point].payload.required ?? [])]),
    );
  }
});

test('a hook without the capability to act looks on', () => {
  const plan = planScaffold({ name: 'x', points: ['preToolUse'], capabilities: ['reads_tool_io'] });
  expect(plan.isGate).toBe(false);
  expect(scaffold(plan, STYLE).get('hooks/x/index.ts')).not.toContain('block(');
});

test('the README has a row for each capability', () => {
  const plan = planScaffold({ name: 'x', points: ['preInput', 'preToolUse'] });
  const readme = scaffold(plan, STYLE).get('README.md') ?? '';
  for (const capability of plan.capabilities) expect(readme).toContain(`| \`${capability}\` |`);
});
