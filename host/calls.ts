import type { Work } from './process/activity.ts';
import type { Pool } from './pool.ts';
import { callResult, notCalled } from './results.ts';
import type { Call, CallResult, Host, HostLimits, HookSource } from './sandbox.ts';
import type { Follower } from './task.ts';

/** A hook that was loaded, and the processes that run it. */
export interface LoadedHook {
  readonly source: HookSource;
  readonly pool: Pool;
}

/** Makes the calls of a host. `find` gives a hook, or nothing when the host is closed. */
export function createCalls(
  find: (hook: string) => LoadedHook | undefined,
  limits: HostLimits,
): Host['callInLine'] {
  return ([call, ...others]) => {
    const hook = find(call.hook);
    if (hook === undefined) {
      const closed = Promise.resolve(notCalled('cancelled', 'the host is closed'));
      return [closed, ...others.map(() => Promise.resolve(undefined))];
    }
    const { pool, source } = hook;
    const line = others.map((other) => followerOf(other, find(other.hook), pool));
    const following = line.flatMap(({ follower }) => follower ?? []);
    const first = new Promise<CallResult>((resolve) => {
      pool.submit({
        source,
        sessionId: call.sessionId,
        work: workOf(call),
        capMs: call.timeoutMs,
        signal: call.signal,
        following,
        onDone(done) {
          resolve(callResult(done, call, limits));
          for (const each of following) if (!each.isSent) each.onDone(undefined);
        },
      });
    });
    return [first, ...line.map(({ result }) => result)];
  };

  function followerOf(
    call: Call,
    hook: LoadedHook | undefined,
    pool: Pool,
  ): { readonly follower?: Follower; readonly result: Promise<CallResult | undefined> } {
    if (hook?.pool !== pool) return { result: Promise.resolve(undefined) };
    const { promise, resolve } = Promise.withResolvers<CallResult | undefined>();
    const follower: Follower = {
      source: hook.source,
      work: workOf(call),
      capMs: call.timeoutMs,
      signal: call.signal,
      isSent: false,
      onDone: (done) => resolve(done === undefined ? undefined : callResult(done, call, limits)),
    };
    return { follower, result: promise };
  }
}

function workOf({ input, ops, bridge }: Call): Work {
  return { kind: 'run', input, ops: ops.join(','), bridge };
}
