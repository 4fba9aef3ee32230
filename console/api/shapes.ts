// The answers of the server as its OpenAPI document describes them.

/** Who the server takes this console for. */
export interface Me {
  readonly role: 'agent' | 'operator' | 'admin';
  readonly version: string;
  readonly name: string;
}

export type Mode = 'enforce' | 'shadow';

/** A hook at a point. */
export interface StationHook {
  readonly hook: string;
  readonly order: number;
  readonly failPolicy: string;
  readonly mode: Mode;
  readonly state: string;
}

export interface Station {
  readonly point: string;
  readonly calls: number;
  readonly withoutHook: number;
  /** Calls that went on although a hook failed. */
  readonly despiteFailure: number;
  readonly hooks: readonly StationHook[];
}

export interface HookFigures {
  readonly hook: string;
  readonly package?: string;
  readonly version?: string;
  readonly sandbox: string;
  readonly mode: Mode;
  readonly state: string;
  /** Within the last hour, like the figures after it. */
  readonly calls: number;
  readonly failuresLastHour: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface Overview {
  readonly health: string;
  readonly reasons: readonly unknown[];
  readonly startedAt: string;
  readonly points: readonly Station[];
  readonly hooks: readonly HookFigures[];
  readonly approvalsWaiting: number;
}

/** What a reload changed. */
export interface Reload {
  readonly changed: readonly { readonly name: string; readonly change: string }[];
  readonly needsRestart: readonly string[];
}

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

export interface Change {
  readonly hook: string;
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

export interface Approval {
  readonly id: string;
  readonly status: string;
  readonly point: string;
  readonly hook: string;
  readonly toolName?: string;
  readonly sessionId?: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly hash: string;
  readonly answeredBy?: string;
  readonly question?: {
    readonly prompt: string;
    readonly reason: string;
    readonly options: readonly string[];
    readonly payload: Readonly<Record<string, unknown>>;
    readonly changes: readonly Change[];
  };
}

export interface CapabilityRow {
  readonly hook: string;
  readonly capability: string;
  readonly declared: boolean;
  readonly granted: boolean;
  readonly used: number;
  readonly lastUsed?: string;
}

export interface PackageRow {
  readonly package: string;
  readonly version: string;
  readonly integrity: string;
  readonly provenance?: { readonly signature: string; readonly attestation: string };
  readonly consent?: { readonly by?: string; readonly at?: string };
  readonly hooks: readonly string[];
  readonly capabilities: readonly CapabilityRow[];
}

export interface PackageHistory {
  readonly time: string;
  readonly who: string;
  readonly what: string;
  readonly package: string;
  readonly version?: string;
  readonly capabilities?: readonly string[];
}

export interface Finding {
  readonly kind: string;
  readonly weight: 'drift' | 'warning' | 'notice';
  readonly package: string;
  readonly hook?: string;
  readonly detail: string;
}

export interface Packages {
  readonly packages: readonly PackageRow[];
  readonly findings: readonly Finding[];
  readonly history: readonly PackageHistory[];
}

export interface Minute {
  readonly time: string;
  readonly calls: number;
  readonly failures: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly counts: readonly number[];
}

export interface HookDetail {
  readonly row: {
    readonly hook: string;
    readonly label?: string;
    readonly description?: string;
    readonly origin: { readonly kind: string; readonly name: string; readonly version?: string };
    readonly sandbox: string;
    readonly contract: string;
    readonly mode: Mode;
    readonly state: string;
    readonly failure?: { readonly code: string; readonly detail: string };
    readonly timeoutMs: number;
    readonly memoryMb: number;
    readonly priority: number;
    readonly capabilities: {
      readonly declared: readonly string[];
      readonly granted: readonly string[];
      readonly missing: readonly string[];
    };
    readonly points: readonly {
      readonly point: string;
      readonly failPolicy: string;
      readonly order: number;
    }[];
    readonly config: Readonly<Record<string, unknown>>;
  };
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly limits: Readonly<Record<string, unknown>>;
  readonly latency: {
    readonly bucketsMs: readonly number[];
    readonly series: readonly Minute[];
  };
  readonly failures: readonly DecisionRecord[];
}

export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly items?: JsonSchema;
}

export interface PointRow {
  readonly point: string;
  readonly summary: string;
  readonly payloadSchema: JsonSchema;
  readonly examplePayload: unknown;
  readonly decisions: readonly string[];
}

export interface TestReport {
  readonly action: string;
  readonly reason?: string;
  readonly code?: string;
  readonly input: unknown;
  readonly output: unknown;
  readonly modified: boolean;
  readonly blocked: boolean;
  readonly hooks: readonly {
    readonly name: string;
    readonly action: string;
    readonly code?: string;
    readonly reason?: string;
    readonly detail?: string;
    readonly ms: number;
  }[];
  readonly notRun: readonly string[];
  readonly logs: readonly { readonly hook: string; readonly line: string }[];
}

export interface ReplayCall {
  readonly conversation: string;
  /** Counts the tool calls of the conversation from 0. */
  readonly call?: number;
  readonly point: string;
  readonly tool?: string;
  readonly action: string;
  readonly hook?: string;
  readonly reason?: string;
  readonly code?: string;
}

export interface ReplayAnswer {
  readonly calls: readonly ReplayCall[];
  readonly problems: readonly { readonly code: string; readonly message: string }[];
  readonly counts: {
    readonly conversations: number;
    readonly fires: number;
    readonly failures: number;
    readonly problems: number;
  };
  readonly isCut: boolean;
}
