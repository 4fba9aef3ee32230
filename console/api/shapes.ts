// The answers of the server as its OpenAPI document describes them.

import type { DecisionRecord } from './decision-shapes.ts';

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

/** What hooks looked at since the start, and what not. */
export interface Coverage {
  readonly openPaths: readonly {
    readonly point: string;
    readonly source: string;
    readonly isSubAgent: boolean;
    readonly withoutHook: number;
  }[];
  readonly hooksNeverRun: readonly {
    readonly hook: string;
    readonly point: string;
    readonly calls: number;
  }[];
}

/** What a reload changed. */
export interface Reload {
  readonly changed: readonly { readonly name: string; readonly change: string }[];
  readonly needsRestart: readonly string[];
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
