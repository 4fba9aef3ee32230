import type { FailPolicy, Manifest } from '../../sdk/manifest.ts';
import type { FailureCode, SignalboxError } from '../../sdk/errors.ts';
import type { HookSource } from '../../host/sandbox.ts';

/** Where a hook comes from. */
export interface Origin {
  readonly kind: 'local' | 'package';
  /** Package name, or `local`. */
  readonly name: string;
  /** Package version; empty for local hooks. */
  readonly version: string;
}

/** A hook that stands in the chain, whether or not it can run. */
export interface HookEntry {
  /** Unique in the runtime, after `as` renames. */
  readonly name: string;
  readonly manifest: Manifest;
  readonly origin: Origin;
  /** Position in registration order: local folders by code-unit order, then packages in runtime.json order. */
  readonly registration: number;
  /** What the host loads. */
  readonly source: HookSource;
  /** Capabilities that hold, and those declared and not granted. */
  readonly granted: readonly string[];
  readonly missing: readonly string[];
  /** Whether it runs although something is missing. */
  readonly isPartial: boolean;
  readonly mode: 'enforce' | 'shadow';
  /** The operator's or contract's policy, when one overrides the manifest's. */
  readonly failPolicy?: FailPolicy;
  readonly priority: number;
  readonly timeoutMs: number;
  /** Agents whose processes have it, where files of agents say so. */
  readonly attachedTo?: readonly string[];
  /** Why every call of it fails, when that is known before any code runs. */
  readonly failure?: { readonly code: FailureCode; readonly detail: string };
}

/** A hook that does not stand in the chain, and why: `hook_skipped`, a conflict, disabled, awaiting consent. */
export interface AbsentHook {
  /** `*` stands for all hooks of a package, or of `hooks/`, that nobody knows by name. */
  readonly name: string;
  readonly origin: Origin;
  readonly reason:
    'skipped' | 'conflict' | 'disabled' | 'not_selected' | 'awaiting_consent' | 'not_installed';
  readonly error?: SignalboxError;
}

/** Every hook that was found, in registration order, and what is wrong without stopping the start. */
export interface Catalog {
  readonly hooks: readonly HookEntry[];
  readonly absent: readonly AbsentHook[];
  /** Everything to be told once, the errors of `absent` among it; failures of hooks in the chain are with the hooks. */
  readonly warnings: readonly SignalboxError[];
}
