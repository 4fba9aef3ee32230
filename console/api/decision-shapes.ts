// The answers of the server as its OpenAPI document describes them.

/** What one hook did in a fire. */
export interface TraceHook {
  readonly hook: string;
  readonly package?: string;
  readonly action: string;
  readonly code?: string;
  readonly reason?: string;
  readonly ms: number;
  readonly modified?: boolean;
}

/** What a whole chain did. */
export interface Trace {
  readonly fireId: string;
  readonly point: string;
  readonly time: string;
  readonly ms: number;
  readonly action: string;
  readonly hook?: string;
  readonly code?: string;
  readonly reason?: string;
  readonly sessionId?: string;
  readonly turnId?: string;
  readonly agentId?: string;
  readonly toolCallId?: string;
  readonly hooks: readonly TraceHook[];
  readonly notRun: readonly string[];
  /** What hooks in shadow mode would have done. */
  readonly shadow?: readonly TraceHook[];
}

/** A kept decision of one hook. */
export interface DecisionRecord {
  readonly id: string;
  readonly time: string;
  readonly fireId?: string;
  readonly point: string;
  readonly hook: string;
  readonly package?: string;
  readonly version?: string;
  readonly action: string;
  readonly code?: string;
  readonly reason?: string;
  readonly durationMs: number;
  readonly sessionId?: string;
  readonly turnId?: string;
  readonly toolCallId?: string;
  readonly wouldBlock: boolean;
}

export interface DecisionDetail {
  /** Absent of a fire that left none. */
  readonly record?: DecisionRecord;
  readonly trace?: Trace;
  readonly siblings: readonly DecisionRecord[];
}
