import type { CapabilityText } from './capabilities.ts';
import type { Point } from './points.ts';

/** The capabilities of a hook as its module lists them; `undefined` where it lists none. */
export type Listed = readonly CapabilityText[] | undefined;

/** Values by field that a row must have. */
export type HookFilter = Readonly<Record<string, string | number | boolean | null>>;

/** Reads rows of the store. A refused call rejects with an Error that has `code`. */
export interface StoreReader<Collection extends string = string> {
  /** The row of a key, or `null`. */
  get(collection: Collection, key: string): Promise<unknown>;
  /** The rows whose fields equal those of the filter, a flat object of scalars; a dot steps into an object. */
  query(collection: Collection, filter?: HookFilter): Promise<unknown[]>;
}

/** Writes rows of the store. A refused call rejects with an Error that has `code`. */
export interface StoreWriter<Collection extends string = string> {
  put(collection: Collection, key: string, value: unknown): Promise<void>;
  /** Whether there was a row. */
  delete(collection: Collection, key: string): Promise<boolean>;
}

/** Rows of the store, as far as the hook's `store:` capabilities reach. */
export interface HookStore extends StoreReader, StoreWriter {}

/** What tells a hook that its caller gave up; the part of an AbortSignal that every platform has. */
export interface HookSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** The part of `ctx` that every hook has. */
export interface BaseContext {
  readonly hook: string;
  readonly point: Point;
  /** Keeps a line for the one who tests the hook; log no payload values. */
  log(...parts: unknown[]): void;
  /** Who is behind the call, as the host verified it. */
  readonly caller: {
    readonly userId?: string;
    readonly source: 'chat' | 'automation' | 'webhook' | 'intent' | 'skill';
    readonly orgId?: string;
  };
  readonly session: { readonly id: string; readonly turn?: string };
  readonly agent: {
    readonly id: string;
    readonly template?: string;
    readonly parent?: string;
    readonly depth: number;
    readonly tools: readonly string[];
  };
  /** What earlier hooks of the chain put into the bag, by the keys of the manifest's `inputs`. */
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly budget?: { readonly total: number; readonly spent: number; readonly remaining: number };
  readonly signal?: HookSignal;
}

/** The scopes that capabilities give a name: `string` where one has no scope, `never` where none has the name. */
type ScopeIn<Held extends string, Name extends string> =
  (Name extends Held ? string : never) | (Held extends `${Name}:${infer Scope}` ? Scope : never);

/** What a bridge adds to `ctx` when some capability gives a scope of it. */
type When<Scope, Bridge> = [Scope] extends [never] ? unknown : Bridge;

type StoreIn<Held extends string> = When<
  ScopeIn<Held, 'store:read' | 'store:write'>,
  {
    readonly store: When<ScopeIn<Held, 'store:read'>, StoreReader<ScopeIn<Held, 'store:read'>>> &
      When<ScopeIn<Held, 'store:write'>, StoreWriter<ScopeIn<Held, 'store:write'>>>;
  }
>;

/** What `ctx.fetch` sends. */
export interface HookRequest {
  /** GET, if absent. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What `ctx.fetch` resolves to, whatever the status is: the part of a web Response that needs no stream. */
export interface HookResponse {
  /** Whether the status is 200 to 299. */
  readonly ok: boolean;
  readonly status: number;
  /** After redirects. */
  readonly url: string;
  /** By name in lower case; several of one name are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  text(): Promise<string>;
  json(): Promise<unknown>;
}

/** A URL of a host. */
type UrlOf<Host extends string> =
  `${'http' | 'https'}://${Host}${'' | `${'/' | ':' | '?'}${string}`}`;

type BridgesIn<Held extends string> = StoreIn<Held> &
  When<
    ScopeIn<Held, 'net:fetch'>,
    {
      /** Sends a request to a host that a `net:fetch:` capability names. */
      fetch(url: UrlOf<ScopeIn<Held, 'net:fetch'>>, request?: HookRequest): Promise<HookResponse>;
    }
  > &
  When<ScopeIn<Held, 'secrets'>, { secret(name: ScopeIn<Held, 'secrets'>): Promise<string> }> &
  When<ScopeIn<Held, 'llm:call'>, { llm(prompt: string): Promise<string> }> &
  When<
    ScopeIn<Held, 'emits:events'>,
    { emit(event: string, data?: Readonly<Record<string, unknown>>): Promise<unknown> }
  >;

/**
 * What a run is told besides its payload; frozen and fresh for every run. Where capabilities are listed it has the bridges
 * that they give and no other; where none are, those of the store are there or not.
 */
export type HookContext<C extends Listed = undefined> = BaseContext &
  (C extends readonly CapabilityText[] ? BridgesIn<C[number]> : { readonly store?: HookStore });
