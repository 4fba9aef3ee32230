import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SPEC_SOURCE } from '../../../sdk/contracts/standard-agents-shim.ts';
import { openTemporary, type TemporaryRuntime } from '../../runtime/temporary-runtime.ts';
import { hasSeed, seedAgents, seedModule } from './seed-examples.ts';
import { hookOf } from './threads.ts';

interface Definition {
  readonly name: string;
  readonly hooks: readonly string[];
}

/** What the text defines with the functions that hooks are given, called in its order. */
async function definedInText(): Promise<readonly Definition[]> {
  const code = `${SPEC_SOURCE}
const defined = [];
const keep = (define) => (given) => void defined.push(define(given));
((definePrompt, defineAgent) => {
${seedAgents()}
})(keep(definePrompt), keep(defineAgent));
export { defined };`;
  const module: unknown = await import(
    /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(code)}`
  );
  return (module as { readonly defined: readonly Definition[] }).defined;
}

describe.skipIf(!hasSeed)(
  'prompts and agents of Standard Agents, character for character (needs ../shared)',
  () => {
    let opened: TemporaryRuntime;
    const messages = Array.from({ length: 30 }, (_, index) => ({
      role: 'user',
      content: `${index}`,
    }));

    beforeAll(async () => {
      const [prompt, agent] = await definedInText();
      const agents = {
        [agent?.name ?? '']: {
          hooks: agent?.hooks,
          prompts: { [prompt?.name ?? '']: { hooks: prompt?.hooks }, bare_prompt: {} },
        },
      };
      opened = await openTemporary(
        {
          limit_to_20_messages: anywhere('limit_to_20_messages', 'preContext'),
          log_tool_calls: anywhere('log_tool_calls', 'postToolUse'),
        },
        { agents },
      );
    }, 120_000);

    afterAll(() => opened.remove());

    const anywhere = (id: string, point: string) => {
      const { scene: _scene, ...hook } = hookOf('', point, seedModule(id));
      return hook;
    };
    const context = (prompt: string) => ({ agent: { id: 'support_agent' }, execution: { prompt } });
    const kept = async (prompt: string) =>
      (await opened.runtime.fire('preContext', { messages }, context(prompt))).payload.messages
        .length;
    const logged = async (prompt: string) => {
      const call = { toolName: 'x', args: {}, result: 'ok', toolCallId: 'c1' };
      const { trace } = await opened.runtime.fire('postToolUse', call, context(prompt));
      return trace.map(({ hook }) => hook);
    };

    test('[SA8] a prompt that names its hooks has those', async () => {
      expect(await kept('support_prompt')).toBe(20);
      expect(await logged('support_prompt')).toEqual(['log_tool_calls']);
    });

    test('[SA8] the hooks of the agent are used when its prompt names none', async () => {
      expect(await kept('bare_prompt')).toBe(messages.length);
      expect(await logged('bare_prompt')).toEqual(['log_tool_calls']);
    });
  },
);
