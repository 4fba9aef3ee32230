/** What a hook was given and made of it. Holds the data itself, and is kept encrypted or not at all. */
export interface Exchange {
  readonly payload: Readonly<Record<string, unknown>>;
  /** The payload as the hook changed it; absent where it did not. */
  readonly after?: Readonly<Record<string, unknown>>;
  /** The hook's own words, all of them. */
  readonly reason?: string;
  /** Who called: what a hook may go by besides the payload. */
  readonly context?: Readonly<Record<string, unknown>>;
}
