import { setTimeout as delay } from 'node:timers/promises';
import type { ApprovalRows } from '../sql/approval-rows.ts';
import type { ApprovalTable } from '../sql/tables.ts';
import { advance, contentOf, statusOf } from './approval-file.ts';
import type { ApprovalOutcome, Approvals } from './approval.ts';
import type { Noted } from './approvals.ts';
import { deniedReason, timeoutReason } from './answers.ts';
import type { Seal } from './seal.ts';

/** What waiting is made with. */
export interface WaitParts {
  readonly rows: ApprovalRows;
  readonly seal: () => Promise<Seal>;
  readonly now: () => number;
  readonly note: (row: ApprovalTable, what: Noted) => Promise<void>;
  readonly grantMs: number;
}

/** Waits for answers. */
export interface Waiting {
  readonly wait: Approvals['wait'];
  /** Says that an approval was answered in this process. */
  nudge(id: string): void;
}

/** How often another process's answer is looked for. */
const POLL_MS = 250;

const CANCELLED = 'The question was taken back';

/** Makes the wait for an answer, which may come from this process or another one. */
export function createWait({ rows, seal, now, note, grantMs }: WaitParts): Waiting {
  const nudges = new Map<string, Set<() => void>>();

  /** Until the next look at the row. */
  async function pause(id: string, ms: number, signal: AbortSignal | undefined): Promise<void> {
    const woken = new AbortController();
    const wake = (): void => woken.abort();
    const those = nudges.get(id) ?? new Set();
    nudges.set(id, those.add(wake));
    try {
      const either = signal === undefined ? woken.signal : AbortSignal.any([woken.signal, signal]);
      await delay(Math.max(1, Math.min(ms, POLL_MS)), undefined, { signal: either });
    } catch {
      // Woken, or aborted: the row says which.
    } finally {
      those.delete(wake);
      if (those.size === 0) nudges.delete(id);
    }
  }

  /** Nobody answered in time: the default stands, which grants only where the hook said so. */
  async function expire(row: ApprovalTable): Promise<void> {
    const key = await seal();
    const isGrant = row.default_answer === 'allow';
    const content = contentOf(key, row);
    const isMoved = await advance({ rows, seal: key }, row, {
      status: isGrant ? 'granted' : 'expired',
      by: 'default',
      ...(isGrant && { expires: now() + grantMs }),
      content:
        content === undefined || isGrant ? content : { ...content, payload: {}, changes: [] },
    });
    if (!isMoved) return;
    const code = isGrant ? undefined : 'approval_expired';
    await note(row, { action: isGrant ? 'allow' : 'block', code, by: 'default' });
  }

  async function takeBack(row: ApprovalTable): Promise<void> {
    const moved = { status: 'cancelled', by: 'caller' } as const;
    await advance({ rows, seal: await seal() }, row, moved);
  }

  function outcomeOf(key: Seal, row: ApprovalTable): ApprovalOutcome | undefined {
    const content = contentOf(key, row);
    const prompt = content?.prompt ?? '';
    const note = content?.note === undefined ? {} : { note: content.note };
    const status = statusOf(key, row, now());
    switch (status) {
      case 'granted':
        return { status, ...note };
      case 'denied':
        return { status, reason: deniedReason(prompt), ...note };
      case 'expired':
        return row.status === 'pending' && content !== undefined
          ? undefined
          : { status, reason: timeoutReason(prompt) };
      case 'cancelled':
        return { status, reason: CANCELLED };
      case 'forged':
        return { status, reason: 'The approval was changed by something else than Signalbox' };
      case 'used':
        return { status: 'expired', reason: 'The approval was used already' };
      case 'pending':
        return undefined;
    }
  }

  return {
    async wait(id, { signal } = {}) {
      for (;;) {
        const [row, key] = [await rows.get(id), await seal()];
        if (row === undefined) return { status: 'cancelled', reason: CANCELLED };
        const outcome = outcomeOf(key, row);
        if (outcome?.status === 'forged') {
          await note(row, { action: 'block', code: 'approval_forged', by: 'unknown' });
        }
        if (outcome !== undefined) return outcome;
        if (row.expires < now()) await expire(row);
        else if (signal?.aborted === true) await takeBack(row);
        else await pause(id, row.expires - now() + 1, signal);
      }
    },
    nudge(id) {
      for (const wake of nudges.get(id) ?? []) wake();
    },
  };
}
