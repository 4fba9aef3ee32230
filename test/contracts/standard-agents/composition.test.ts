import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTemporary, type TemporaryRuntime } from '../../runtime/temporary-runtime.ts';
import { defined } from './threads.ts';

/** A hook that notes its name and why it runs in the messages of the request. */
const noting = (id: string, home?: string) => ({
  ...(home !== undefined && { home }),
  module: defined(
    'filter_messages',
    id,
    `async (state, messages, context) => [...messages, { id: '${id}', role: 'user', content: JSON.stringify(context.source), created_at: 1 }]`,
  ),
  manifest: { contract: 'standard-agents', points: ['preContext'] },
});

const HOOKS = {
  agent_wide: noting('agent_wide'),
  of_prompt: noting('of_prompt'),
  child_before: noting('child_before', 'billing'),
  child_after: noting('child_after', 'billing'),
  other_after: noting('other_after'),
  never_named: noting('never_named'),
};

const AGENTS = {
  support_agent: {
    hooks: ['agent_wide'],
    sides: { a: { prompt: 'support_prompt' }, b: { prompt: 'bare_prompt' } },
    prompts: {
      support_prompt: {
        hooks: ['of_prompt'],
        subagents: [
          { agent: 'billing_agent', as: 'billing', hidden: true },
          { agent: 'other_agent', optional: true },
        ],
      },
      bare_prompt: { hooks: [] },
      cut_prompt: {
        hooks: ['of_prompt'],
        subagents: [{ agent: 'billing_agent', optional: true, enabled: false }],
      },
    },
  },
  main: { hooks: ['agent_wide'] },
  billing_agent: {
    package: 'billing',
    requires: [{ hook: 'child_after' }, { hook: 'child_before', stage: 'before_parent' }],
  },
  other_agent: { requires: [{ hook: 'other_after', stage: 'after_parent' }] },
};

describe('composition of parent and child hooks', () => {
  let opened: TemporaryRuntime;

  beforeAll(async () => {
    opened = await openTemporary(HOOKS, { agents: AGENTS });
  }, 120_000);

  afterAll(() => opened.remove());

  async function noted(execution?: object, id = 'support_agent') {
    const { payload } = await opened.runtime.fire(
      'preContext',
      { messages: [] },
      { agent: { id }, ...(execution !== undefined && { execution }) },
    );
    return payload.messages as { id: string; content: string }[];
  }
  const names = async (execution?: object, id?: string) =>
    (await noted(execution, id)).map((message) => message.id);

  test('[SA7] [SA9] child hooks before the parent, the parent base set, child hooks after it, in the order of tools', async () => {
    expect(await names()).toEqual(['child_before', 'of_prompt', 'child_after', 'other_after']);
  });

  test('[SA8] a prompt without hooks, or with an empty list, falls back to those of the agent', async () => {
    expect(await names({ side: 'b' })).toEqual(['agent_wide']);
  });

  test('[SA10] [SA11] an installed package is no source of hooks: a disabled child adds none, a hidden one does', async () => {
    expect(await names({ prompt: 'cut_prompt' })).toEqual(['of_prompt']);
    expect(await names({ side: 'a' })).toContain('child_after');
    expect(await names()).not.toContain('never_named');
  });

  test('[SA12] [SA20] [SA21] each hook is told why it runs: prompt, agent, or child with relationship and package', async () => {
    const sources = (await noted()).map(({ content }) => JSON.parse(content) as object);
    expect(sources).toEqual([
      {
        kind: 'child',
        relationshipName: 'billing',
        agentName: 'billing_agent',
        package: 'billing',
      },
      { kind: 'prompt', promptName: 'support_prompt' },
      {
        kind: 'child',
        relationshipName: 'billing',
        agentName: 'billing_agent',
        package: 'billing',
      },
      { kind: 'child', relationshipName: 'other_agent', agentName: 'other_agent' },
    ]);
    const [fallback] = await noted({ side: 'b' });
    expect(JSON.parse(fallback?.content ?? '')).toEqual({
      kind: 'agent',
      agentName: 'support_agent',
    });
  });

  test('[SA14] at rest the hooks of the agent alone run', async () => {
    expect(await names({ isAtRest: true })).toEqual(['agent_wide']);
  });

  test('a call without an agent is one of the agent main', async () => {
    const { payload } = await opened.runtime.fire('preContext', { messages: [] });
    expect(payload.messages.map(({ id }) => id)).toEqual(['agent_wide']);
  });

  test('an agent that nobody described keeps every hook', async () => {
    expect(await names(undefined, 'unknown')).toHaveLength(Object.keys(HOOKS).length);
  });
});

describe('composition fails closed', () => {
  const refused = async (agents: object, hooks: Parameters<typeof openTemporary>[0] = HOOKS) => {
    try {
      await (await openTemporary(hooks, { agents })).remove();
      return undefined;
    } catch (error) {
      return error as Error & { code: string };
    }
  };

  test('[SA13] a prompt that names a missing hook stops the start, with the name that may be meant', async () => {
    const error = await refused({
      a: { prompts: { support_prompt: { hooks: ['of_promt'] } } },
    });
    expect(error).toMatchObject({ code: 'composition' });
    expect(error?.message).toContain('prompt "support_prompt" names the hook "of_promt"');
    expect(error?.message).toContain('did you mean "of_prompt"?');
  }, 60_000);

  test('[SA13] a required hook that is missing in the namespace of its child, or cannot be loaded, stops the start', async () => {
    const child = { agents: [{ agent: 'c' }] };
    const parent = { prompts: { p: { subagents: child.agents } } };
    const missing = await refused({
      parent,
      c: { package: 'billing', requires: [{ hook: 'of_prompt' }] },
    });
    expect(missing?.message).toContain('"of_prompt", which is missing in package "billing"');
    const broken = { broken_hook: { ...noting('broken_hook'), module: 'throw new Error("no");' } };
    const unloadable = await refused(
      { parent, c: { requires: [{ hook: 'broken_hook' }] } },
      broken,
    );
    expect(unloadable?.message).toContain('"broken_hook", which cannot run');
  }, 60_000);

  test('[SA13] [SA16] a user-scoped hook cannot be composed', async () => {
    const scoped = {
      user_hook: {
        module: `import { defineHook } from '@standardagents/spec';
          export default defineHook({ hook: 'filter_messages', id: 'user_hook', scope: 'user', execute: async (state, messages) => messages });`,
        manifest: { contract: 'standard-agents', points: ['preContext'] },
      },
    };
    const error = await refused({ a: { hooks: ['user_hook'] } }, scoped);
    expect(error?.message).toContain('user-scoped');
  }, 60_000);
});
