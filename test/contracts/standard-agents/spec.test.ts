import { expect, expectTypeOf, test } from 'vitest';
import {
  defineHook,
  type HookMessage,
  type HookName,
  type HookToolResult,
  type ThreadState,
} from '../../../sdk/contracts/standard-agents-spec.ts';
import { SPEC_MODULE, SPEC_SOURCE } from '../../../sdk/contracts/standard-agents-shim.ts';

test('[SA2] defineHook returns the three properties that it is given, in the sandbox as for the compiler', async () => {
  const execute = async () => [];
  const given = { hook: 'filter_messages', id: 'none', execute } as const;
  expect(SPEC_MODULE).toBe('@standardagents/spec');
  const shim = (await import(
    /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(SPEC_SOURCE)}`
  )) as { defineHook: typeof defineHook };
  expect(shim.defineHook(given)).toEqual(given);
  expect(defineHook(given)).toEqual(given);
});

test('[SA43c] defineHook types execute by the name of the hook', () => {
  expectTypeOf<HookName>().toExtend<string>();
  defineHook({
    hook: 'filter_messages',
    id: 'typed',
    execute: async (state, messages, context) => {
      expectTypeOf(state).toEqualTypeOf<ThreadState>();
      expectTypeOf(messages).toEqualTypeOf<HookMessage[]>();
      expectTypeOf(context.source.kind).toEqualTypeOf<'prompt' | 'agent' | 'child'>();
      return messages.slice(-20);
    },
  });
  defineHook({
    hook: 'after_tool_call_success',
    id: 'typed_result',
    execute: async (_state, call, result) => {
      expectTypeOf(call.function.arguments).toEqualTypeOf<string>();
      expectTypeOf(result).toEqualTypeOf<HookToolResult>();
      return null;
    },
  });
  // A sync return is legal where the spec says so.
  defineHook({ hook: 'after_system_message', id: 'sync', execute: (_state, text) => `${text}!` });
  // @ts-expect-error there is no such hook
  defineHook({ hook: 'filter_message', id: 'wrong', execute: async () => [] });
  // @ts-expect-error it returns no messages
  defineHook({ hook: 'filter_messages', id: 'wrong', execute: async () => 'no' });
});
