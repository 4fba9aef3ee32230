// The answers of the server as its OpenAPI document describes them.

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
