import type { Trace } from '../../api/decision-shapes.ts';

/** What an operator wants to see of the decisions. Empty texts hide nothing. */
export interface Filter {
  readonly point: string;
  readonly hook: string;
  readonly package: string;
  readonly action: string;
  readonly session: string;
  readonly turn: string;
  readonly code: string;
  /** How many hours back the records are read; empty, all. */
  readonly hours: string;
  /** Only what hooks in shadow mode would have blocked. */
  readonly wouldBlock: boolean;
}

export const NO_FILTER: Filter = {
  point: '',
  hook: '',
  package: '',
  action: '',
  session: '',
  turn: '',
  code: '',
  hours: '',
  wouldBlock: false,
};

/** Whether a fire passes a filter. */
export function passes(trace: Trace, filter: Filter): boolean {
  const { point, hook, package: owner, action, session, turn, code, wouldBlock } = filter;
  const runs = trace.hooks;
  const shadow = trace.shadow ?? [];
  const all = [...runs, ...shadow];
  if (point !== '' && trace.point !== point) return false;
  if (session !== '' && !(trace.sessionId ?? '').includes(session)) return false;
  if (turn !== '' && !(trace.turnId ?? '').includes(turn)) return false;
  if (owner !== '' && !all.some((run) => (run.package ?? '').includes(owner))) return false;
  if (action !== '' && trace.action !== action && !runs.some((run) => run.action === action)) {
    return false;
  }
  if (code !== '' && trace.code !== code && !runs.some((run) => run.code === code)) return false;
  if (wouldBlock && !shadow.some((run) => run.action === 'block')) return false;
  return hook === '' || all.some((run) => run.hook.includes(hook));
}

/** The query of a filter. */
export function queryOf({ wouldBlock, hours, ...texts }: Filter): Record<string, string> {
  const since = hours === '' ? '' : String(Date.now() - Number(hours) * 3_600_000);
  return { ...texts, since, wouldBlock: wouldBlock ? 'true' : '' };
}
