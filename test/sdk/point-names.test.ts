import { expect, test } from 'vitest';
import { POINT_NAMES, POINTS, type PointNames } from '../../sdk/points.ts';

/** Every name that the other contracts have for a point, as their own documents list them. */
const FOREIGN_NAMES = {
  amplifier: [
    'session:start',
    'session:end',
    'session:fork',
    'session:resume',
    'prompt:submit',
    'prompt:complete',
    'plan:start',
    'plan:end',
    'provider:request',
    'provider:response',
    'provider:retry',
    'provider:error',
    'provider:throttle',
    'provider:tool_sequence_repaired',
    'provider:resolve',
    'llm:request',
    'llm:response',
    'content_block:start',
    'content_block:delta',
    'content_block:end',
    'thinking:delta',
    'thinking:final',
    'tool:pre',
    'tool:post',
    'tool:error',
    'context:pre_compact',
    'context:post_compact',
    'context:compaction',
    'context:include',
    'orchestrator:complete',
    'execution:start',
    'execution:end',
    'user:notification',
    'artifact:write',
    'artifact:read',
    'policy:violation',
    'approval:required',
    'approval:granted',
    'approval:denied',
    'cancel:requested',
    'cancel:completed',
    'module:on_session_ready_failed',
    // Emitted, though not among the 42 of the list.
    'session:config',
  ],
  agentOs: [
    'before_user_message',
    'before_inference',
    'on_token',
    'before_tool_call',
    'after_tool_result',
    'before_retry',
    'before_syscall',
    'before_context_evict',
    'after_assistant_message',
    'after_turn',
    'after_loop',
    'on_spawn',
    'on_terminate',
    'on_error',
    'on_budget_threshold',
  ],
  standardAgents: [
    'after_thread_created',
    'after_subagent_created',
    'after_system_message',
    'filter_messages',
    'prefilter_llm_history',
    'before_create_message',
    'after_create_message',
    'before_update_message',
    'after_update_message',
    'before_store_tool_result',
    'tool_call_started',
    'after_tool_call_success',
    'after_tool_call_failure',
    'tool_call_done',
  ],
  harness: [
    'beforeTurn',
    'beforeProviderCall',
    'beforeToolExecution',
    'afterToolExecution',
    'afterTurn',
  ],
} as const satisfies Record<keyof PointNames, readonly string[]>;

const COUNTS = { amplifier: 43, agentOs: 15, standardAgents: 14, harness: 5 } as const;

const CONTRACTS = Object.keys(FOREIGN_NAMES) as (keyof PointNames)[];

test.each(CONTRACTS)('each name of %s belongs to exactly one point', (contract) => {
  const names = POINT_NAMES.flatMap((point) => POINTS[point].names[contract] ?? []);
  expect(names.toSorted()).toEqual([...FOREIGN_NAMES[contract]].toSorted());
  expect(new Set(names).size).toBe(COUNTS[contract]);
});

test.each(POINT_NAMES)('%s has names of known contracts alone', (point) => {
  expect(CONTRACTS).toEqual(expect.arrayContaining(Object.keys(POINTS[point].names)));
});
