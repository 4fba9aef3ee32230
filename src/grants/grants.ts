import { entails, parseCapability, shortfall } from '../../sdk/capabilities.ts';
import { SignalboxError } from '../../sdk/errors.ts';
import { nearest, suggestion } from '../config/nearest.ts';
import { printable } from '../config/printable.ts';
import type { Chains } from '../fire/bound-hook.ts';
import type { Log } from '../log.ts';
import type { Catalog, HookEntry } from '../packages/catalog.ts';
import { requireHooks } from '../packages/named-hooks.ts';
import type { GrantChange } from './grant-change.ts';
import type { GrantChanges } from './grant-changes.ts';
import { restricted, standing } from './grant-change.ts';

/** What an operator asks for: whose capabilities, which, and who asks. */
export type GrantRequest = Pick<GrantChange, 'target' | 'capabilities' | 'by'>;

/** Changes what hooks may do while they run. A change holds from the next call, is kept beside the records, and names who made it. */
export interface Grants {
  /** Takes capabilities from a hook or package. Throws `hook_unknown`, `request_invalid`; `database` when it holds only until the end of this process. */
  revoke(request: GrantRequest): Promise<void>;
  /** Leaves of the capabilities with these names only those given. Throws as `revoke` does. */
  narrow(request: GrantRequest): Promise<void>;
  /** Lifts what was revoked or narrowed; never gives more than runtime.json does. Throws as `revoke` does. */
  restore(request: GrantRequest): Promise<void>;
  /** Every change, oldest first. */
  changes(): readonly GrantChange[];
}

/** What holds hooks to their grants. */
export interface HoldParts {
  readonly found: Catalog;
  /** `hooks.required`: one that a revocation stops must stop the start. */
  readonly required: readonly string[];
  readonly changes: GrantChanges;
}

/** A catalog that is held to the grants. Whoever made it releases it. */
export interface HeldCatalog {
  /** The catalog with the grants that hold now; its `hooks` change. */
  readonly catalog: Catalog;
  /** Chains that follow the grants: `bind` is called again with each change. */
  chainsOf(bind: (entries: readonly HookEntry[]) => Chains): Chains;
  release(): void;
}

/** Holds the hooks of a catalog to the changes, those to come included. Throws `hook_required`. */
export function holdGrants({ found, required, changes }: HoldParts): HeldCatalog {
  let hooks = held(found.hooks, changes.all());
  requireHooks(required, { hooks, absent: found.absent });
  const listeners: ((hooks: readonly HookEntry[]) => void)[] = [];
  const release = changes.onChange(() => {
    hooks = held(found.hooks, changes.all());
    for (const listener of listeners) listener(hooks);
  });
  return {
    catalog: {
      absent: found.absent,
      warnings: found.warnings,
      get hooks() {
        return hooks;
      },
    },
    chainsOf(bind) {
      let chains = bind(hooks);
      listeners.push((changed) => {
        chains = bind(changed);
      });
      return {
        of: (point) => chains.of(point),
        get warnings() {
          return chains.warnings;
        },
      };
    },
    release,
  };
}

/** What grants are changed with. */
export interface GrantParts {
  readonly changes: GrantChanges;
  /** The catalog of now, held to the grants. */
  readonly catalog: () => Catalog;
  readonly log: Pick<Log, 'info'>;
}

/** Makes what changes the grants of a runtime. */
export function createGrants({ changes, catalog, log }: GrantParts): Grants {
  const make = async (action: GrantChange['action'], request: GrantRequest): Promise<void> => {
    checkRequest(request, catalog());
    if (action === 'revoke') checkHeld(request, catalog().hooks);
    const { target, capabilities, by } = request;
    log.info(`grant_${action}`, { target, capabilities: capabilities.join(', '), by });
    await changes.add({ action, target, capabilities, by, time: Date.now() });
  };
  return {
    revoke: (request) => make('revoke', request),
    narrow: (request) => make('narrow', request),
    restore: (request) => make('restore', request),
    changes: () => changes.all(),
  };
}

/** The hooks with what changes left of their grants. A hook that lacks what it declares fails, unless its entry is partial. */
export function held(
  hooks: readonly HookEntry[],
  changes: readonly GrantChange[],
): readonly HookEntry[] {
  const restrictions = standing(changes);
  return hooks.map((entry) => {
    const mine = restrictions.filter(({ target }) => isTarget(entry, target));
    const granted = mine.reduce<readonly string[]>(restricted, entry.granted);
    const missing = shortfall(entry.manifest.capabilities, granted);
    if (mine.length === 0 || missing.length === entry.missing.length) return { ...entry, granted };
    const failure = entry.failure ?? { code: 'ungranted' as const, detail: missing.join(', ') };
    return { ...entry, granted, missing, ...(!entry.isPartial && { failure }) };
  });
}

function isTarget({ name, origin }: HookEntry, target: string): boolean {
  return name === target || (origin.kind === 'package' && origin.name === target);
}

function checkRequest({ target, capabilities, by }: GrantRequest, { hooks }: Catalog): void {
  const mine = hooks.filter((entry) => isTarget(entry, target));
  if (mine.length === 0) {
    const names = hooks.flatMap(({ name, origin }) => [name, origin.name]);
    const data = { hook: printable(target, 80), nearest: nearest(target, names) ?? '' };
    throw new SignalboxError('hook_unknown', data);
  }
  if (by.trim() === '') throw invalid('"by" must say who asks');
  if (capabilities.length === 0) throw invalid('no capability is named');
  const unknown = capabilities.find((text) => parseCapability(text) === undefined);
  if (unknown === undefined) return;
  const declared = mine.flatMap(({ manifest }) => manifest.capabilities);
  throw invalid(`unknown capability "${printable(unknown, 80)}"${suggestion(unknown, declared)}`);
}

/** A revocation that takes nothing away is a slip, and its author would think that it holds. */
function checkHeld({ target, capabilities }: GrantRequest, hooks: readonly HookEntry[]): void {
  const granted = hooks
    .filter((entry) => isTarget(entry, target))
    .flatMap((entry) => entry.granted);
  for (const capability of capabilities) {
    if (granted.some((text) => entails(capability, text))) continue;
    const wider = granted.find((text) => entails(text, capability));
    const detail = `"${target}" does not hold "${capability}"`;
    throw invalid(
      wider === undefined ? detail : `${detail} but "${wider}": narrow that to what it shall keep`,
    );
  }
}

function invalid(detail: string): SignalboxError {
  return new SignalboxError('request_invalid', { detail });
}
