import type { FailPolicy } from '../../sdk/manifest.ts';
import type { TrustPolicy } from '../grants/trust-policy.ts';
import type {
  AccessSettings,
  BudgetSettings,
  BudgetsSettings,
  HookOverride,
  PackageEntry,
  RuntimeConfig,
  RuntimeLimits,
  ServerSettings,
} from './runtime-config.ts';

type BudgetDraft = Pick<BudgetSettings, 'max'> & Partial<BudgetSettings>;

/** runtime.json as it is written, once it has passed the schema: every part may be absent. */
export interface RuntimeFile {
  readonly packages?: readonly (string | (Partial<PackageEntry> & Pick<PackageEntry, 'package'>))[];
  readonly hooks?: {
    readonly order?: readonly string[];
    readonly disabled?: readonly string[];
    readonly required?: readonly string[];
    readonly config?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    readonly mode?: Readonly<Record<string, 'enforce' | 'shadow'>>;
    readonly failPolicy?: Readonly<Record<string, FailPolicy>>;
    readonly overrides?: Readonly<Record<string, HookOverride>>;
  };
  readonly limits?: { readonly [K in keyof RuntimeLimits]?: RuntimeLimits[K] | null };
  readonly store?: {
    readonly file?: string;
    readonly indexes?: Readonly<Record<string, readonly string[]>>;
  };
  readonly records?: {
    readonly file?: string;
    readonly reasons?: 'full' | 'scrubbed' | 'none';
    readonly retentionDays?: number | null;
    readonly maxRows?: number | null;
    readonly payloads?: RuntimeConfig['records']['payloads'];
  };
  readonly server?: Partial<ServerSettings>;
  readonly fetch?: { readonly ports?: readonly string[]; readonly private?: readonly string[] };
  readonly secrets?: { readonly folder?: string };
  readonly approvals?: { readonly enabled?: boolean };
  readonly access?: Partial<AccessSettings>;
  readonly agents?: Readonly<Record<string, unknown>>;
  readonly budgets?: {
    readonly session?: BudgetDraft;
    readonly user?: BudgetDraft;
    readonly group?: BudgetDraft;
    readonly users?: Readonly<Record<string, BudgetDraft>>;
    readonly groups?: Readonly<Record<string, BudgetDraft>>;
    readonly prices?: BudgetsSettings['prices'];
  };
  readonly telemetry?: Partial<RuntimeConfig['telemetry']>;
  readonly trust?: Partial<TrustPolicy>;
}
