import { join } from 'node:path';
import { expect, test, vi } from 'vitest';

import { checkConformance, openTestHost, type InlineHook } from '../../src/testing/index.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const ROOT = join(import.meta.dirname, '../..');

async function check(hook: string | InlineHook) {
  const host = await openTestHost({ hook, timeoutMs: 10_000 });
  try {
    return await checkConformance(host);
  } finally {
    await host.close();
  }
}

const hook = (run: string): InlineHook => ({
  manifest: {
    name: 'inline',
    points: ['preToolUse'],
    capabilities: ['reads_tool_io', 'gates_tools'],
  },
  module: `export const createHook = () => ({ run: (point, payload, ctx) => ${run} });`,
});

test.each([
  'hooks/pii-redactor',
  'hooks/audit-trail',
  'examples/packages/spend-guard/hooks/spend-guard',
])('%s conforms', async (folder) => {
  expect(await check(join(ROOT, folder))).toEqual([]);
});

test('a hook that repeats what it saw does not conform', async () => {
  const problems = await check(
    hook('({ action: "block", reason: JSON.stringify(payload.args).slice(0, 500) })'),
  );
  expect(problems).toContainEqual({
    point: 'preToolUse',
    payload: 'plain',
    problem: 'the reason repeats the payload',
  });
});

test.each([
  [
    '({ action: "ask", reason: "sure?", prompt: "Run " + JSON.stringify(payload.args) })',
    'the question repeats the payload',
  ],
  [
    '({ action: "ask", reason: "sure?", options: ["Allow", JSON.stringify(payload.args)] })',
    'the question repeats the payload',
  ],
  [
    '({ action: "modify", payload: { args: {} }, note: "took out " + JSON.stringify(payload.args) })',
    'the note of the change repeats the payload',
  ],
  [
    '({ action: "rework", feedback: JSON.stringify(payload.args) })',
    'the feedback repeats the payload',
  ],
])('%s does not conform', async (run, problem) => {
  const problems = await check(hook(run));
  expect(problems).toContainEqual({ point: 'preToolUse', payload: 'plain', problem });
});

test('a hook that falls over odd payloads does not conform', async () => {
  const problems = await check(
    hook('({ action: payload.args.value.length > 0 ? "allow" : "block" })'),
  );
  expect(problems.map(({ payload }) => payload)).toContain('empty');
  expect(problems[0]?.problem).toMatch(/^it fails with thrown: TypeError/);
});
