// The answers of the server as its OpenAPI document describes them.

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
