import type { FailureCode } from '../../sdk/errors.ts';
import type { Manifest } from '../../sdk/manifest.ts';
import type { AbsentHook, Origin } from './catalog.ts';
import type { Boundary } from './bundle/boundary.ts';

/** What an operator agreed to: whatever a local hook declares, or the grants of a package's entry. */
export type Consent =
  | { readonly kind: 'installed' }
  | { readonly kind: 'granted'; readonly grants: readonly string[]; readonly isPartial: boolean };

/** A hook that was found and selected, before names, settings and code are looked at. */
export interface Candidate {
  /** Its name in this runtime, after renames. */
  readonly name: string;
  readonly manifest: Manifest;
  readonly origin: Origin;
  readonly consent: Consent;
  /** Where its code is; `undefined` when the package's bytes are gone. */
  readonly code?: HookCode;
  /** Its code where that was locked. */
  readonly locked?: LockedCode;
  /** Agents whose processes have it, where files of agents say so. */
  readonly attachedTo?: readonly string[];
  readonly failure?: { readonly code: FailureCode; readonly detail: string };
}

/** A handler that was bundled when its package was installed. */
export interface LockedCode {
  readonly bundle: string;
  /** Relative to the package, with `/`. */
  readonly place: string;
}

/** The handler of a hook on disk. */
export interface HookCode {
  readonly boundary: Boundary;
  /** Relative to the package, with `/`. */
  readonly place: string;
  /** Absolute and real. */
  readonly file: string;
}

/** What one source of hooks came to, in registration order. */
export type Finding =
  | { readonly kind: 'candidate'; readonly candidate: Candidate }
  | { readonly kind: 'absent'; readonly absent: AbsentHook };
