import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  openTemporary,
  type HookDraft,
  type TemporaryRuntime,
} from '../runtime/temporary-runtime.ts';
import { mountOf } from './amplifier/mount.ts';
import { traceOf } from './scenes.ts';

/** A hook of each contract at postToolUse that adds its mark to the result. */
const MARKS: Readonly<
  Record<string, readonly [contract: string, priority: number, module: string]>
> = {
  native: [
    'signalbox',
    0,
    `export const run = (point, { result }) => ({ action: 'modify', payload: { result: result + ' native' } });`,
  ],
  amplifier: [
    'amplifier',
    0,
    mountOf(`
      hooks.register('tool:post', (event, data) => ({ action: 'modify',
        data: { ...data, tool_result: data.tool_result + ' early' } }), -5, 'early');
      hooks.register('tool:post', (event, data) => ({ action: 'modify',
        data: { ...data, tool_result: data.tool_result + ' late' } }), 50, 'late');`),
  ],
  harness: [
    'harness',
    10,
    `export default { afterToolExecution: async ({ output }) => output + ' harness' };`,
  ],
  agent_os: [
    'agent-os',
    20,
    `export function after_tool_result(event) { return { content: event.content + ' agent-os' }; }`,
  ],
  standard_agents: [
    'standard-agents',
    30,
    `import { defineHook } from '@standardagents/spec';
     export default defineHook({ hook: 'after_tool_call_success', id: 'standard_agents',
       execute: async (state, call, result) => ({ ...result, result: result.result + ' standard' }) });`,
  ],
};

const drafts = (scene: string, extra: Readonly<Record<string, HookDraft>> = {}) => ({
  ...Object.fromEntries(
    Object.entries(MARKS).map(([name, [contract, priority, module]]): [string, HookDraft] => [
      name,
      {
        module,
        home: `pkg-${name}`,
        scene,
        manifest: { contract, priority, points: ['postToolUse'] },
      },
    ]),
  ),
  ...extra,
});

const RESULT = { toolName: 'read', args: {}, result: 'text', toolCallId: 'c1' };

let mixed: TemporaryRuntime;
let moved: TemporaryRuntime;
beforeAll(async () => {
  mixed = await openTemporary({
    ...drafts('all'),
    gate_amplifier: {
      scene: 'gates',
      module: mountOf(`
        hooks.register('tool:pre', () => ({ action: 'ask_user', approval_prompt: 'Sure?' }), 1, 'ask');
        hooks.register('tool:pre', (event, data) => ({ action: 'modify', data: { ...data, tool_input: { n: data.tool_input.n + 1 } } }), 9, 'add');`),
      manifest: { contract: 'amplifier' },
    },
    gate_harness: {
      scene: 'gates',
      module: `export default { beforeToolExecution: ({ input }) => (input.n > 3
        ? { authorize: false, mockResult: 'too much: ' + input.n } : { authorize: true, mockResult: 'canned' }) };`,
      manifest: { contract: 'harness', priority: 5 },
    },
    gate_agent_os: {
      scene: 'gates',
      module: `export function before_tool_call() { return {}; }`,
      manifest: { contract: 'agent-os', priority: 2 },
    },
    gate_native: {
      scene: 'gates',
      module: `export const run = (point, { args }) => ({ action: 'modify', payload: { args: { n: args.n * 2 } },
        inject: [{ content: 'be careful' }] });`,
      manifest: { priority: 0 },
    },
    last_native: {
      scene: 'gates',
      module: `export const run = () => ({ action: 'block', reason: 'last' });`,
      manifest: { priority: 100, when: { sessions: ['never'] } },
    },
  });
  moved = await openTemporary(drafts('all'), {
    hooks: {
      order: ['standard_agents', 'amplifier'],
      overrides: { harness: { priority: -10 } },
      mode: { native: 'shadow' },
    },
  });
}, 120_000);
afterAll(async () => {
  await mixed.remove();
  await moved.remove();
});

test('hooks of all five contracts at one point have one order, and each sees what the one before it left', async () => {
  const verdict = await mixed.runtime.fire('postToolUse', RESULT, { sessionId: 'all' });
  expect(traceOf(verdict)).toEqual([
    'amplifier/early modify',
    'native modify',
    'harness modify',
    'agent_os modify',
    'standard_agents modify',
    'amplifier/late modify',
  ]);
  expect(verdict.payload.result).toBe('text early native harness agent-os standard late');
});

test('they have one precedence: a question of one beats the canned result of another, and all changes are kept', async () => {
  const context = { sessionId: 'gates', canAsk: true };
  const verdict = await mixed.runtime.fire(
    'preToolUse',
    { toolName: 'a', args: { n: 1 } },
    context,
  );
  expect(verdict).toMatchObject({
    action: 'ask',
    hook: 'gate_amplifier/ask',
    payload: { args: { n: 3 } },
    inject: [{ content: 'be careful' }],
  });
});

test('a refusal of one beats the question of another, ends the chain and says who did not run', async () => {
  const context = { sessionId: 'gates', canAsk: true };
  const verdict = await mixed.runtime.fire(
    'preToolUse',
    { toolName: 'a', args: { n: 2 } },
    context,
  );
  expect(verdict).toMatchObject({
    action: 'block',
    hook: 'gate_harness',
    reason: 'too much: 4',
    notRun: ['gate_amplifier/add'],
  });
});

test('hooks.order moves a hook with all of its handlers, an override of its priority moves them alike', async () => {
  const verdict = await moved.runtime.fire('postToolUse', RESULT, { sessionId: 'all' });
  expect(traceOf(verdict)).toEqual([
    'standard_agents modify',
    'amplifier/early modify',
    'amplifier/late modify',
    'harness modify',
    'agent_os modify',
  ]);
});

test('the inventory shows a hook of handlers once, and a test by its name runs them all', async () => {
  const rows = mixed.runtime.inventory().hooks.filter(({ hook }) => hook.startsWith('amplifier'));
  expect(rows).toMatchObject([{ hook: 'amplifier', contract: 'amplifier', state: 'live' }]);
  const test = (hookName: string) =>
    mixed.runtime.test({ point: 'postToolUse', payload: RESULT, hookName });
  expect((await test('amplifier')).hooks.map(({ name }) => name)).toEqual([
    'amplifier/early',
    'amplifier/late',
  ]);
  expect((await test('amplifier/late')).hooks.map(({ name }) => name)).toEqual(['amplifier/late']);
});
