import type { HostLimits, SandboxKind } from '../../host/sandbox.ts';
import type { FailPolicy } from '../../sdk/manifest.ts';
import type { TrustPolicy } from '../grants/trust-policy.ts';
import type { TelemetrySettings } from '../telemetry/settings.ts';

/** Values by name, without a prototype: a hook may well be called `constructor`. */
export type ByName<T> = Readonly<Record<string, T>>;

/** One entry of `packages`. */
export interface PackageEntry {
  /** A package name, or a path of a folder or tarball as it was written. */
  readonly package: string;
  readonly version?: string;
  /** Selectors in order; without any, the package is taken whole. */
  readonly use?: readonly string[];
  /** New names of hooks, by their own names. */
  readonly as: ByName<string>;
  /** The capabilities granted. Without the list nobody has consented, and nothing of the package runs. */
  readonly grants?: readonly string[];
  readonly partial: boolean;
}

/** Settings of one hook that the operator put over its manifest. */
export interface HookOverride {
  readonly timeoutMs?: number;
  readonly memoryMb?: number;
  readonly failPolicy?: FailPolicy;
  readonly sandbox?: SandboxKind;
  readonly priority?: number;
}

/** The `hooks` part: every name is that after `as` renames. */
export interface HookSettings {
  readonly order: readonly string[];
  readonly disabled: readonly string[];
  readonly required: readonly string[];
  readonly config: ByName<Readonly<Record<string, unknown>>>;
  readonly mode: ByName<'enforce' | 'shadow'>;
  readonly failPolicy: ByName<FailPolicy>;
  readonly overrides: ByName<HookOverride>;
}

/**
 * The `limits` part with its defaults. `null` is none; where the host needs a number, none has become the longest time
 * that a timer can wait, or the largest safe integer.
 */
export interface RuntimeLimits extends HostLimits {
  readonly payloadBytes: number | null;
  readonly injectionChars: number | null;
  readonly injectionTokensPerTurn: number | null;
}

/** What a tool may do once the hooks are through. */
export type AccessTier = 'allow' | 'confirm' | 'review' | 'never';

/** The `access` part: the first rule that names a tool decides. */
export interface AccessSettings {
  readonly rules: readonly {
    readonly tool?: string;
    readonly glob?: string;
    readonly tier: AccessTier;
  }[];
  readonly default: AccessTier;
}

/** What a caller of the server may do: fire points, also look and answer, or everything. */
export type ServerRole = 'agent' | 'operator' | 'admin';

/** A token of the server, by its digest or by the variable that it is in. */
export interface TokenSettings {
  readonly name: string;
  readonly role: ServerRole;
  readonly env?: string;
  /** Of the token, in hexadecimal. */
  readonly sha256?: string;
}

/** The `server` part. */
export interface ServerSettings {
  readonly host: string;
  readonly port: number;
  readonly token?: string;
  readonly tokens: readonly TokenSettings[];
  readonly requestsPerMinute: number | null;
  readonly firesPerMinute: number | null;
}

/** One budget. */
export interface BudgetSettings {
  readonly max: number;
  readonly unit: 'tokens' | 'money';
  /** The part of it at which `budgetThreshold` fires. */
  readonly warnAt: number;
  /** It starts anew with each, in UTC; without one it is for good. */
  readonly period?: 'day' | 'month';
}

/** The `budgets` part. */
export interface BudgetsSettings {
  readonly session?: BudgetSettings;
  readonly user?: BudgetSettings;
  readonly group?: BudgetSettings;
  readonly users: ByName<BudgetSettings>;
  readonly groups: ByName<BudgetSettings>;
  /** Per million tokens, by model. */
  readonly prices: ByName<{ readonly input: number; readonly output: number }>;
}

/** runtime.json as the runtime reads it: valid, with defaults, paths absolute. */
export interface RuntimeConfig {
  /** Absolute path of the file; `undefined` when the configuration came as an object. */
  readonly file: string | undefined;
  /** Absolute path of the folder that relative paths and `hooks/` start from. */
  readonly folder: string;
  /** The manifest of one hook of agent-os: the runtime has that hook alone. */
  readonly hookFile?: string;
  /** What stands for `db_path` in its config. */
  readonly hookDb?: string;
  /** Absolute path of `packages-cache`, or of what SIGNALBOX_CACHE names. */
  readonly cacheFolder: string;
  readonly packages: readonly PackageEntry[];
  readonly hooks: HookSettings;
  readonly limits: RuntimeLimits;
  readonly store: { readonly file: string; readonly indexes: ByName<readonly string[]> };
  readonly records: {
    readonly file: string;
    readonly reasons: 'full' | 'scrubbed' | 'none';
    readonly retentionDays: number | null;
    readonly maxRows: number | null;
    /** What hooks that decided were given is kept, encrypted with the key in an environment variable. */
    readonly payloads?: { readonly retentionDays: number; readonly key: { readonly env: string } };
  };
  readonly server: ServerSettings;
  readonly fetch: { readonly ports: readonly string[]; readonly private: readonly string[] };
  readonly secrets: {
    /** Absolute; `undefined` for the environment alone. */
    readonly folder: string | undefined;
  };
  readonly approvals: { readonly enabled: boolean };
  readonly access: AccessSettings;
  readonly agents: Readonly<Record<string, unknown>>;
  readonly budgets: BudgetsSettings;
  readonly telemetry: TelemetrySettings;
  readonly trust: TrustPolicy;
}
