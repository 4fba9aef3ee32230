import { makeHookResult } from './hook-result.ts';
import type { HookRegistry } from './registry.ts';

type Contribute = () => unknown;

/** What `mount` is given. */
export interface Coordinator {
  readonly hooks: HookRegistry;
  readonly config: Readonly<Record<string, unknown>>;
  readonly HookResult: typeof makeHookResult;
  /** Of the event that is handled; `null` between events. */
  readonly session_id: unknown;
  /** The mounted parts by name: `hooks`, or `null`. */
  get(name: string): unknown;
  /** Of the model call that the event belongs to, or `null`. */
  current_request_id(): unknown;
  /** Offers values at a channel, such as the names of custom events at `observability.events`. */
  register_contributor(channel: string, name: string, contribute: Contribute): void;
  /** What was offered at a channel; a contributor that throws offers nothing. */
  collect_contributions(channel: string): Promise<unknown[]>;
}

/** What a coordinator looks up as it is asked. */
interface Lookups {
  readonly config: Readonly<Record<string, unknown>>;
  readonly requestId: () => unknown;
  readonly sessionId: () => unknown;
}

/** Makes the coordinator of one module: the part of the original that has a meaning in a sandbox. */
export function coordinatorOf(hooks: HookRegistry, lookups: Lookups): Coordinator {
  const channels = new Map<string, Contribute[]>();
  return {
    hooks,
    config: lookups.config,
    HookResult: makeHookResult,
    get session_id() {
      return lookups.sessionId();
    },
    get: (name) => (name === 'hooks' ? hooks : null),
    current_request_id: lookups.requestId,
    register_contributor(channel, _name, contribute) {
      channels.set(channel, [...(channels.get(channel) ?? []), contribute]);
    },
    async collect_contributions(channel) {
      const offered: unknown[] = [];
      for (const contribute of channels.get(channel) ?? []) {
        try {
          const value = await contribute();
          if (value !== null && value !== undefined) offered.push(value);
        } catch {
          // One that fails has nothing to offer.
        }
      }
      return offered;
    },
  };
}
