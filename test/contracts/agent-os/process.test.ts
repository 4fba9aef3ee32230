import { afterAll, beforeAll, expect, test } from 'vitest';
import { POINT_NAMES, POINTS } from '../../../sdk/points.ts';
import { AGENT_OS_POINTS } from '../../../sdk/contracts/agent-os-points.ts';
import type { LiveRuntime } from '../../../src/index.ts';
import { openServer } from '../../../src/server/server.ts';
import { openTemporary, type TemporaryRuntime } from '../../runtime/temporary-runtime.ts';
import { script } from './scripts.ts';

let opened: TemporaryRuntime;
let runtime: LiveRuntime;

/** A script that denies with what it knows of its context. */
const told = `export const before_tool_call = (event, ctx) => ({ deny: JSON.stringify({
  pid: ctx.pid, agent: ctx.agent, template: ctx.template, session_id: ctx.session_id, user_id: ctx.user_id,
  config: ctx.config, parent: ctx.parent, depth: ctx.depth, tools: ctx.tools,
  budget: [ctx.budget_total, ctx.budget_spent, ctx.budget_remaining()], inputs: ctx.inputs, bag: typeof ctx.bag,
}) });`;

beforeAll(async () => {
  opened = await openTemporary({
    knows: script('knows', ['preToolUse'], told, { config: { level: 3 } }),
    notified: script(
      'notified',
      ['postTurn', 'runEnd', 'postSpawn', 'postTerminate', 'error', 'budgetThreshold'],
      ['after_turn', 'after_loop', 'on_spawn', 'on_terminate', 'on_error', 'on_budget_threshold']
        .map(
          (name) =>
            `export function ${name}(event) { event.log('${name}', event.question, event.outcome, event.pid === event.session_id ? undefined : event.pid, event.exit_code, event.message, event.level, event.ratio); return 'ignored'; }`,
        )
        .join('\n'),
    ),
    panics: script(
      'panics',
      ['preInput', 'preOutput'],
      "export const before_user_message = () => { throw new Error('boom'); };\nexport const after_assistant_message = () => { throw new Error('boom'); };",
      { home: 'local' },
    ),
    slow: script(
      'slow',
      ['preInput'],
      'export const before_user_message = () => new Promise(() => {});',
      {
        timeoutMs: 100,
        failPolicy: 'open',
      },
    ),
    redacts: script(
      'trace',
      ['postToolUse', 'preToolUse', 'preModelCall', 'onToken', 'preInput'],
      `export const after_tool_result = ({ content }) => ({ content: content.replace('4111', '****') });
       export const before_tool_call = ({ tool }) => tool === 'rm' ? { deny: 'no' } : undefined;
       export const before_inference = () => ({ model: 'small' });
       export const on_token = () => ({ suppress: true });
       export const before_user_message = () => ({ context: 'a fact' });`,
    ),
    asks: script(
      'asks',
      ['preInput'],
      'export const before_user_message = ({ llm }) => ({ answer: typeof llm });',
    ),
  });
  runtime = opened.runtime;
}, 120_000);

afterAll(() => opened.remove());

const names = POINT_NAMES.flatMap((point) => POINTS[point].names.agentOs ?? []);

test('[AO1] the 15 points of agent-os are rows of ours, and each has its outcome', () => {
  expect(names).toHaveLength(15);
  expect(Object.keys(AGENT_OS_POINTS).toSorted()).toEqual([...names].toSorted());
});

test('[AO53] the hook context names process, agent, user, config, parent, tools, budget, inputs and bag', async () => {
  const { reason } = await runtime.fire(
    'preToolUse',
    { toolName: 'x' },
    {
      sessionId: 'knows',
      caller: { userId: 'alice' },
      agent: { id: 'ngu-1', template: 'ngu', parent: 'root', depth: 2, tools: ['x'] },
      budget: { total: 10, spent: 4, remaining: 6 },
    },
  );
  expect(JSON.parse(reason ?? '')).toEqual({
    pid: 'knows',
    agent: 'ngu-1',
    template: 'ngu',
    session_id: 'knows',
    user_id: 'alice',
    config: { level: 3 },
    parent: 'root',
    depth: 2,
    tools: ['x'],
    budget: [10, 4, 6],
    inputs: {},
    bag: 'object',
  });
});

test('[AO12] [AO13] notifications are told and decide nothing: turn, loop, spawn, terminate, error and budget', async () => {
  const run = async (point: Parameters<typeof runtime.test>[0]['point'], payload: object) => {
    const report = await runtime.test({ point, payload, context: { sessionId: 'notified' } });
    expect(report.action).toBe('allow');
    return report.logs.map(({ line }) => line.replaceAll(' undefined', ''));
  };
  expect(await run('postTurn', { turn: 1, input: 'question', output: 'answer' })).toEqual([
    'after_turn question',
  ]);
  expect(await run('runEnd', { response: '', status: 'completed', outcome: 'job_done' })).toEqual([
    'after_loop job_done',
  ]);
  expect(await run('postSpawn', { childId: 'c', depth: 1, agent: 'a' })).toEqual(['on_spawn c']);
  expect(await run('postTerminate', { pid: 'c', exitCode: 0 })).toEqual(['on_terminate c 0']);
  expect(await run('error', { message: 'boom', where: 'loop' })).toEqual(['on_error boom']);
  expect(await run('budgetThreshold', { level: 'user', spent: 8, max: 10, ratio: 0.8 })).toEqual([
    'on_budget_threshold user 0.8',
  ]);
});

test('[AO22] [AO30] a hook that throws is neutral, and the turn goes on', async () => {
  const context = { sessionId: 'panics' };
  const before = await runtime.fire('preInput', { text: 'hi' }, context);
  expect(before).toMatchObject({ action: 'allow', payload: { text: 'hi' } });
  expect(before.trace).toMatchObject([{ hook: 'panics', code: 'thrown' }]);
  expect((await runtime.fire('preOutput', { text: 'yo' }, context)).action).toBe('allow');
});

test('[AO32] a hook that takes too long is neutral, with a warning in the log', async () => {
  const verdict = await runtime.fire('preInput', { text: 'hi' }, { sessionId: 'slow' });
  expect(verdict.action).toBe('allow');
  expect(opened.logged()).toContainEqual(
    expect.objectContaining({ hook: 'slow', code: 'timeout' }),
  );
});

test('[AO33] [AO34] GET /v1/hooks/metrics counts calls, panics, timeouts and durations by hook and point', async () => {
  await runtime.fire('preInput', { text: 'hi' }, { sessionId: 'panics' });
  await runtime.fire('preInput', { text: 'hi' }, { sessionId: 'slow' });
  const server = await openServer(runtime, {
    host: '127.0.0.1',
    port: 0,
    payloadBytes: null,
    version: '0',
  });
  try {
    const response = await fetch(`${server.url}/v1/hooks/metrics`);
    const { metrics } = (await response.json()) as { metrics: Record<string, unknown>[] };
    const of = (hook: string) =>
      metrics.find((row) => row['hook'] === hook && row['point'] === 'preInput');
    const panics = of('panics');
    expect(panics).toMatchObject({ timeouts: 0, last_error: 'thrown' });
    expect(panics?.['panics']).toBe(panics?.['calls']);
    expect(of('slow')).toMatchObject({ panics: 0, last_error: 'timeout' });
    const { calls, total_ms: total, avg_ms: average } = of('slow') as Record<string, number>;
    expect(average).toBeCloseTo((total ?? 0) / (calls ?? 1), 1);
  } finally {
    await server.close();
  }
});

test('[AO18] [AO19] [AO20] [AO21] what a hook did is traced as hook_intercepted, without what it saw', async () => {
  const context = { sessionId: 'trace' };
  await runtime.fire('postToolUse', { toolName: 'x', result: 'card 4111' }, context);
  await runtime.fire('preToolUse', { toolName: 'rm' }, context);
  await runtime.fire('preToolUse', { toolName: 'ls' }, context);
  await runtime.fire('preModelCall', { messages: [] }, context);
  await runtime.fire('onToken', { text: 'x' }, context);
  await runtime.fire('preInput', { text: 'x' }, context);
  const events = opened
    .logged()
    .filter((line) => line['event'] === 'hook_intercepted' && line['session'] === 'trace');
  expect(events.map(({ point, action }) => [point, action])).toEqual([
    ['after_tool_result', 'replace'],
    ['before_tool_call', 'deny'],
    ['before_inference', 'override'],
    ['on_token', 'suppress'],
    ['before_user_message', 'context'],
  ]);
  expect(JSON.stringify(opened.logged())).not.toContain('4111');
});

test('[AO19] [AO19b] decisions on tools and requests also stand in the transcript, as lines of kind hook', async () => {
  const context = { sessionId: 'trace', turnId: 'transcript' };
  await runtime.fire('preToolUse', { toolName: 'rm', toolCallId: 'c1' }, context);
  await runtime.fire('onToken', { text: 'x' }, context);
  const lines = await runtime.transcript('trace');
  expect(lines.filter(({ metadata }) => metadata.turn === 'transcript')).toMatchObject([
    {
      kind: 'hook',
      metadata: { point: 'before_tool_call', hook: 'redacts', action: 'deny', tool_call: 'c1' },
    },
  ]);
});

test('[AO8] llm(...) of a script is the bridge to the model of the host, which fires no hooks', async () => {
  const verdict = await runtime.fire('preInput', { text: 'x' }, { sessionId: 'asks' });
  expect(verdict.result).toBe('function');
});
