import type { InjectionInput } from '../decisions.ts';
import { toRecords } from './standard-agents-messages.ts';

/** The `ctx` of a run, as far as Standard Agents has a word for it. */
export interface ThreadContext {
  readonly session: { readonly id: string; readonly turn?: string };
  readonly caller: { readonly userId?: string };
  readonly agent: { readonly id: string };
  readonly execution?: { readonly side?: 'a' | 'b'; readonly step?: number };
  /** Why the hook runs, as the host's composition has it. */
  readonly source?: object;
  readonly loadAgent?: (id: string) => Promise<unknown>;
  /** The stored messages; `null` where they are more than may cross, absent where the caller has none. */
  readonly messageHistory?: readonly Payload[] | null;
}

type Payload = Readonly<Record<string, unknown>>;

/** What a hook is told of the thread, and what it had injected when it was done. */
interface Thread {
  readonly state: object;
  readonly context: object;
  /** The state of a child thread: its identity alone. */
  readonly childOf: (child: { readonly threadId: unknown; readonly agentId: unknown }) => object;
  readonly injected: () => readonly InjectionInput[];
}

const ROLES: readonly unknown[] = ['system', 'user', 'assistant'];

/** Makes the ThreadState and the HookExecutionContext of one run. */
export function makeThread(ctx: ThreadContext): Thread {
  const injected: InjectionInput[] = [];
  const { session, caller, agent, execution } = ctx;
  const running = {
    flowId: session.turn ?? session.id,
    currentSide: execution?.side ?? 'a',
    stepCount: execution?.step ?? 0,
    stopped: false,
    abortSignal: neverAborted(),
  };
  const history = historyOf(ctx);
  // Not enumerable: a hook that logs its state logs no conversation.
  Object.defineProperty(running, 'messageHistory', {
    get() {
      if (typeof history === 'string') throw new TypeError(history);
      return history;
    },
  });
  const common = {
    userId: caller.userId ?? null,
    execution: running,
    async injectMessage(message: Payload) {
      const { role = 'system', content, silent = false } = message;
      if (typeof content !== 'string') throw new TypeError('injectMessage needs a content');
      if (!ROLES.includes(role)) throw new TypeError('injectMessage takes no message of that role');
      if (typeof silent !== 'boolean') throw new TypeError('silent is true or false');
      const isSilent = silent ? { silent } : {};
      injected.push({ content, role: role as NonNullable<InjectionInput['role']>, ...isSilent });
      if (typeof history !== 'string') {
        const id = `injected_${injected.length}`;
        history.push({ id, role, content, created_at: Date.now(), ...isSilent });
      }
      return message;
    },
    async loadAgent(id: string) {
      if (ctx.loadAgent === undefined) {
        throw new TypeError('loadAgent needs "reads_context" in the capabilities of hook.json');
      }
      return ctx.loadAgent(id);
    },
  };
  return {
    state: { threadId: session.id, agentId: agent.id, ...common },
    context: { source: ctx.source ?? { kind: 'agent', agentName: agent.id } },
    childOf: (child) => ({ ...common, ...child }),
    injected: () => injected,
  };
}

/** The live history as HookMessages, or why the hook has none. */
function historyOf({ messageHistory, loadAgent }: ThreadContext): Payload[] | string {
  if (messageHistory === null) return 'messageHistory is larger than limits.payloadBytes';
  // The bridge comes with the same capability.
  if (loadAgent === undefined) {
    return 'messageHistory needs "reads_context" in the capabilities of hook.json';
  }
  return [...toRecords(messageHistory)];
}

/** The signal of a run: what is cancelled is stopped from outside, and hears nothing. */
function neverAborted(): object {
  return {
    aborted: false,
    reason: undefined,
    onabort: null,
    throwIfAborted: () => undefined,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
    dispatchEvent: () => false,
  };
}
