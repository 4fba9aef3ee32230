import {
  CAPABILITIES,
  parseCapability,
  plainCapability,
  shortfall,
  type CapabilityRow,
} from '../../../sdk/capabilities.ts';
import { failPolicyOf, type Manifest } from '../../../sdk/manifest.ts';

/** What a hook of a package asks for, in the words of the person who is asked. */
export interface HookRequest {
  readonly hook: string;
  readonly points: readonly string[];
  readonly capabilities: readonly string[];
  /** What each capability gives, in plain words. */
  readonly may: readonly string[];
  /** One policy, or several where they differ by point. */
  readonly failPolicy: string;
  readonly bytes: number;
  /** The packages that its bundle holds code of. */
  readonly imports: readonly string[];
}

/** What a hook that is about to be installed asks for. */
export function requestOf(
  name: string,
  {
    manifest,
    code,
    imports,
  }: { readonly manifest: Manifest; readonly code: string; readonly imports: readonly string[] },
): HookRequest {
  const { points, capabilities } = manifest;
  const policies = new Set(points.map((point) => failPolicyOf(point, manifest)));
  return {
    hook: name,
    points,
    capabilities,
    may: capabilities.map(inPlainWords),
    failPolicy: [...policies].join(', '),
    bytes: Buffer.byteLength(code),
    imports,
  };
}

/** A capability in plain words: `read rows of the store (collection "documents")`. */
export function inPlainWords(text: string): string {
  const capability = parseCapability(text);
  if (capability === undefined) return text;
  const row: CapabilityRow = CAPABILITIES[capability.name];
  if (capability.scope === undefined) return row.gives;
  return `${row.gives} (${row.scopeName ?? 'scope'} "${capability.scope}")`;
}

/** Every capability that hooks declare, once, as it is granted. */
export function declaredBy(
  hooks: readonly { readonly capabilities: readonly string[] }[],
): readonly string[] {
  return [
    ...new Set(hooks.flatMap(({ capabilities }) => capabilities.map(plainCapability))),
  ].sort();
}

/**
 * What is asked for beyond what was declared before: by what a capability covers, not by its text. `store:read:orders` is
 * nothing new where `store:read` was declared.
 */
export function newlyAsked(
  declared: readonly string[],
  before: readonly string[],
): readonly string[] {
  return shortfall(declared, before);
}
