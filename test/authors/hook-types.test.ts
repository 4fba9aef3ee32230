import { expect, expectTypeOf, test } from 'vitest';
import {
  allow,
  ask,
  block,
  defineHook,
  modify,
  result,
  suppress,
  type Changes,
  type HookContext,
} from '@signalbox/sdk';

/** Types alone are under test: what is defined here never runs. */
const never = (define: () => unknown): void => {
  expectTypeOf(define).toBeFunction();
};

test('a decision that is illegal at the point does not compile', () => {
  never(() => {
    defineHook({ points: ['preInput'], run: () => block('no') });
    defineHook({ points: ['onToken'], run: () => suppress() });
    // @ts-expect-error nothing can be blocked after the turn
    defineHook({ points: ['postTurn'], run: () => block('no') });
    // @ts-expect-error nobody is asked about a token
    defineHook({ points: ['onToken'], run: () => ask('sure?') });
    // @ts-expect-error a stream has no canned result
    defineHook({ points: ['onToken'], run: async () => result({}) });
    defineHook({
      points: ['preInput'],
      // @ts-expect-error retry belongs to preRetry
      run: () => ({ ...allow(), retry: { abort: true } }),
    });
    defineHook({ points: ['preRetry'], run: () => ({ ...allow(), retry: { abort: true } }) });
  });
});

test('a change of a field that cannot be replaced, or to another type, does not compile', () => {
  never(() => {
    defineHook({ points: ['preInput'], run: () => modify({ text: 'x', attachments: null }) });
    // @ts-expect-error the text is a string
    defineHook({ points: ['preInput'], run: () => modify({ text: 5 }) });
    // @ts-expect-error a text cannot be removed
    defineHook({ points: ['preInput'], run: () => modify({ text: null }) });
    // @ts-expect-error a tool call has no text
    defineHook({ points: ['preToolUse'], run: () => modify({ text: 'x' }) });
  });
  expectTypeOf<keyof Changes<'preToolUse'>>().toEqualTypeOf<'toolName' | 'args'>();
});

test('the context has the bridges that the capabilities give, for their scopes, and no other', () => {
  never(() => {
    defineHook({
      points: ['preToolUse'],
      capabilities: ['store:read:limits', 'net:fetch:api.example.com', 'secrets:API_KEY'],
      async run(_point, payload, ctx) {
        const row = await ctx.store.get('limits', payload.toolName);
        expectTypeOf(row).toBeUnknown();
        await ctx.fetch('https://api.example.com/v1');
        await ctx.secret('API_KEY');
        // @ts-expect-error another collection
        await ctx.store.get('profiles', 'x');
        // @ts-expect-error it may not write
        await ctx.store.put('limits', 'x', 1);
        // @ts-expect-error another host
        await ctx.fetch('https://api.example.com.evil.example/v1');
        // @ts-expect-error another secret
        await ctx.secret('OTHER');
        // @ts-expect-error no model
        await ctx.llm('hello');
        return allow();
      },
    });
    defineHook({
      points: ['postTurn'],
      capabilities: [],
      run(_point, _payload, ctx) {
        ctx.log(ctx.caller.userId);
        // @ts-expect-error no store
        void ctx.store;
        return allow();
      },
    });
    defineHook({
      points: ['postTurn'],
      capabilities: ['store:write'],
      async run(_point, _payload, ctx) {
        await ctx.store.put('turns', ctx.session.id, 1);
        // @ts-expect-error it may not read
        await ctx.store.get('turns', 'x');
        return allow();
      },
    });
  });
});

test('without listed capabilities a store may be there or not', () => {
  expectTypeOf<HookContext['store']>().extract<undefined>().toBeUndefined();
  never(() =>
    defineHook({
      points: ['postTurn'],
      run(_point, _payload, ctx) {
        // @ts-expect-error it may be absent
        void ctx.store.get('a', 'b');
        void ctx.store?.get('a', 'b');
        return allow();
      },
    }),
  );
});

test('content that no listed capability reads, and acting without one, does not compile', () => {
  never(() => {
    defineHook({
      points: ['preToolUse'],
      capabilities: ['gates_tools'],
      // @ts-expect-error reads_tool_io is not listed
      run: (_point, payload) => (payload.args['x'] === 1 ? block('no') : allow()),
    });
    defineHook({
      points: ['preToolUse'],
      capabilities: ['reads_tool_io'],
      // @ts-expect-error gates_tools is not listed
      run: (_point, payload) => (payload.args['x'] === 1 ? block('no') : allow()),
    });
    defineHook({
      points: ['preToolUse'],
      capabilities: ['gates_tools'],
      // @ts-expect-error injects_context is not listed
      run: () => ({ ...allow(), inject: [{ content: 'hello' }] }),
    });
    defineHook({
      points: ['preToolUse'],
      capabilities: ['injects_context'],
      run: () => ({ ...allow(), inject: [{ content: 'hello' }] }),
    });
  });
});

test('a capability that no table has does not compile', () => {
  never(() => {
    // @ts-expect-error a typo
    defineHook({ points: ['preInput'], capabilities: ['read_input'], run: () => allow() });
    // @ts-expect-error a host must be named
    defineHook({ points: ['preInput'], capabilities: ['net:fetch'], run: () => allow() });
  });
});

test('capabilities are handed back with the hook', () => {
  const hook = defineHook({ points: ['preInput'], capabilities: ['reads_input'], run: allow });
  expect(hook.capabilities).toEqual(['reads_input']);
  expectTypeOf(hook.capabilities).toEqualTypeOf<readonly ['reads_input'] | undefined>();
});
