import type { DecisionFilter } from '../sql/decisions.ts';

/** Which records are meant: those to which all of it applies. */
export interface RecordFilter {
  /** Milliseconds since 1970, included. */
  readonly since?: number | undefined;
  /** Milliseconds since 1970, excluded. */
  readonly until?: number | undefined;
  readonly hook?: string | undefined;
  readonly package?: string | undefined;
  readonly version?: string | undefined;
  readonly point?: string | undefined;
  readonly action?: string | undefined;
  readonly code?: string | undefined;
  /** Whether there is any code. */
  readonly hasCode?: boolean | undefined;
  readonly session?: string | undefined;
  readonly turn?: string | undefined;
  readonly toolCall?: string | undefined;
  /** The id of a verdict. */
  readonly fire?: string | undefined;
  /** `culprit` or `bystander`. */
  readonly role?: string | undefined;
  readonly wouldBlock?: boolean | undefined;
}

/** The filter in the names of the columns. */
export function conditionsOf(filter: RecordFilter): DecisionFilter {
  const { session, turn, toolCall, fire, wouldBlock, hasCode, ...same } = filter;
  return {
    ...same,
    session_id: session,
    turn_id: turn,
    tool_call_id: toolCall,
    fire_id: fire,
    would_block: wouldBlock,
    has_code: hasCode,
  };
}
