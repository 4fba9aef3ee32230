import { SignalboxError } from '../../sdk/errors.ts';
import type { Acts } from '../acts/acts.ts';
import { nearest } from '../config/nearest.ts';
import type { Scope } from '../fire/scope.ts';
import type { HookEntry } from '../packages/catalog.ts';
import { plainId } from '../records/scrub.ts';
import type { Context } from '../verdict.ts';

/** Which hooks of agent-os the processes have: a process is a session. */
export interface SessionHooks {
  /**
   * Attaches a hook to a session, from its next call on, once it is kept who did. Rejects with `hook_unknown`,
   * `request_invalid`, `database`.
   */
  grant(sessionId: string, hook: string, order: AttachmentOrder): Promise<void>;
  /** Takes a hook from a session, from its next call on. A global hook stays. Rejects as `grant` does. */
  revoke(sessionId: string, hook: string, order: AttachmentOrder): Promise<void>;
  /** The hooks that a session has, of every contract, in the order of registration. */
  list(sessionId: string, agent?: Context['agent']): readonly string[];
}

/** Who attaches a hook or takes it away. */
export interface AttachmentOrder {
  readonly who: string;
}

/** The attachments of a runtime, which live as long as it does. */
export interface Attachments extends Scope {
  readonly sessions: SessionHooks;
  endSession(sessionId: string): void;
}

/** Sessions whose changes are remembered; past it the oldest is forgotten. */
const KEPT = 50_000;

/**
 * Attachments of these hooks. A global hook runs for every process; one that `hook_files` name for their agents alone; one
 * with `global: false` only where it is granted; any other in the whole runtime that it stands in.
 */
export function createAttachments(
  entries: () => readonly HookEntry[],
  acts: Pick<Acts, 'note'>,
): Attachments {
  const changes = new Map<string, Map<string, 'granted' | 'revoked'>>();
  const find = (hook: string): HookEntry => {
    const entry = entries().find(({ name }) => name === hook);
    if (entry === undefined) {
      const names = entries().map(({ name }) => name);
      throw new SignalboxError('hook_unknown', { hook, nearest: nearest(hook, names) ?? '' });
    }
    if (entry.manifest.contract !== 'agent-os') {
      const detail = `hook "${hook}" is not one of agent-os: hooks of sessions are`;
      throw new SignalboxError('request_invalid', { detail });
    }
    return entry;
  };
  const note = (sessionId: string, hook: string, change: 'granted' | 'revoked'): void => {
    const own = changes.get(sessionId) ?? new Map<string, 'granted' | 'revoked'>();
    own.set(hook, change);
    changes.set(sessionId, own);
    if (changes.size > KEPT) changes.delete(changes.keys().next().value as string);
  };
  const has = (entry: HookEntry, { sessionId, agent }: Context): boolean => {
    const { manifest, attachedTo } = entry;
    if (manifest.contract !== 'agent-os' || manifest.global === true) return true;
    const change = sessionId === undefined ? undefined : changes.get(sessionId)?.get(entry.name);
    if (change !== undefined) return change === 'granted';
    if (attachedTo === undefined) return manifest.global !== false;
    return [agent?.id ?? 'main', agent?.template].some(
      (name) => name !== undefined && attachedTo.includes(name),
    );
  };
  return {
    concerns: ({ manifest }) => manifest.contract === 'agent-os' && manifest.global !== true,
    narrow: (hooks, context) => hooks.filter(({ entry }) => has(entry, context)),
    sessions: {
      async grant(sessionId, hook, { who }) {
        const target = find(hook).name;
        const detail = `session ${plainId(sessionId)}`;
        await acts.note({ by: who, act: 'session hook attached', target, detail });
        note(sessionId, target, 'granted');
      },
      async revoke(sessionId, hook, { who }) {
        const { manifest } = find(hook);
        if (manifest.global === true) {
          const detail = `hook "${hook}" is global: it holds for every session`;
          throw new SignalboxError('request_invalid', { detail });
        }
        const detail = `session ${plainId(sessionId)}`;
        await acts.note({ by: who, act: 'session hook detached', target: hook, detail });
        note(sessionId, hook, 'revoked');
      },
      list: (sessionId, agent) =>
        entries()
          .filter((entry) => has(entry, { sessionId, ...(agent !== undefined && { agent }) }))
          .map(({ name }) => name),
    },
    endSession: (sessionId) => void changes.delete(sessionId),
  };
}
