import { SignalboxError } from '../../sdk/errors.ts';
import { printable } from '../config/printable.ts';
import type { Database } from '../sql/database.ts';
import { openOperatorRows } from '../sql/operator-rows.ts';

/** What an operator did to a runtime at work. */
export interface Act {
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly by: string;
  /** In words: `grant revoke`, `mode shadow`, `reload applied`, `session hook attached`. */
  readonly act: string;
  /** The hook or package; empty for what concerns them all. */
  readonly target: string;
  readonly detail: string;
}

/** What operators did, kept beside the records. */
export interface Acts {
  /** Resolves once it is kept. Throws `request_invalid` where nobody did it; `database`. */
  note(act: Omit<Act, 'time'>): Promise<void>;
  /** Newest first, changes of grants and modes and reloads included. */
  list(limit: number): Promise<readonly Act[]>;
}

/** Opens the acts of a database. */
export function openActs(database: Database): Acts {
  const rows = openOperatorRows(database);
  return {
    async note({ by, ...what }) {
      await rows.insertAct({ ...what, by: nameOf(by), time: Date.now() });
    },
    list: async (limit) =>
      (await rows.acts(limit)).map(({ time, by, act, target, detail }) => {
        // Those of grants are kept as a JSON list of capabilities.
        const isList = act.startsWith('grant ');
        const text = isList ? (JSON.parse(detail) as readonly string[]).join(', ') : detail;
        return { time, by, act, target, detail: text };
      }),
  };
}

/** Who did something, as it is kept. Throws `request_invalid` for nobody. */
export function nameOf(who: string): string {
  const name = printable(who.trim(), 80);
  if (name === '') throw new SignalboxError('request_invalid', { detail: 'it must say who asks' });
  return name;
}
