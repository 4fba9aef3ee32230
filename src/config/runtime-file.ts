import type { FailPolicy } from '../../sdk/manifest.ts';
import type { HookOverride, PackageEntry, RuntimeLimits } from './runtime-config.ts';

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
  };
  readonly server?: { readonly host?: string; readonly port?: number; readonly token?: string };
  readonly fetch?: { readonly ports?: readonly string[]; readonly private?: readonly string[] };
  readonly secrets?: { readonly folder?: string };
  readonly approvals?: Readonly<Record<string, unknown>>;
  readonly access?: Readonly<Record<string, unknown>>;
  readonly agents?: Readonly<Record<string, unknown>>;
  readonly budgets?: Readonly<Record<string, unknown>>;
  readonly trust?: Readonly<Record<string, unknown>>;
}
