import { failPolicyOf } from '../sdk/manifest.ts';
import type { SignalboxError } from '../sdk/errors.ts';
import type { Failure } from './chain/call.ts';
import type { LiveFault } from './chaos/live-faults.ts';
import type { MaskedFailure } from './coverage/masked-failures.ts';
import type { Chains } from './fire/bound-hook.ts';
import type { AbsentHook, Catalog, HookEntry } from './packages/catalog.ts';
import type { Inventory, InventoryRow } from './runtime.ts';

/** What an inventory is written from. */
export interface InventoryParts {
  readonly catalog: Catalog;
  readonly chains: Chains;
  readonly failureOf: (entry: HookEntry) => Failure | undefined;
}

/** Lists what stands in the chains, in registration order, what does not and why, and what failed unseen of late. */
export function takeInventory(
  { catalog, chains, failureOf }: InventoryParts,
  masked: readonly MaskedFailure[],
  fault: LiveFault | undefined,
): Inventory {
  const hooks = catalog.hooks.map((entry) => rowOf(entry, chains, failureOf(entry)));
  const isFailing = hooks.some(({ state }) => state === 'failing');
  const isLacking = catalog.absent.some(({ error }) => error !== undefined);
  const isBroken = fault !== undefined && fault.ended === undefined;
  const isWell = !isFailing && !isLacking && !isBroken && masked.length === 0;
  return {
    hooks,
    absent: catalog.absent.map(absentRowOf),
    warnings: [...catalog.warnings, ...chains.warnings],
    masked,
    ...(isBroken && { fault }),
    health: isWell ? 'ok' : 'degraded',
  };
}

function rowOf(entry: HookEntry, chains: Chains, failure: Failure | undefined): InventoryRow {
  const { manifest, source } = entry;
  return {
    hook: entry.name,
    ...(manifest.label !== undefined && { label: manifest.label }),
    ...(manifest.description !== undefined && { description: manifest.description }),
    origin: entry.origin,
    sandbox: source.sandbox,
    contract: manifest.contract,
    capabilities: {
      declared: manifest.capabilities,
      granted: entry.granted,
      missing: entry.missing,
    },
    points: manifest.points.map((point) => {
      const chain = chains.of(point)[entry.mode === 'shadow' ? 'shadow' : 'enforced'];
      return {
        point,
        failPolicy: failPolicyOf(point, manifest, entry.failPolicy),
        order: chain.findIndex((hook) => hook.entry.name === entry.name) + 1,
      };
    }),
    priority: entry.priority,
    timeoutMs: entry.timeoutMs,
    memoryMb: source.memoryMb,
    mode: entry.mode,
    state: failure === undefined ? 'live' : 'failing',
    ...(failure !== undefined && { failure: { code: failure.code, detail: failure.detail } }),
    config: source.config,
  };
}

function absentRowOf({ name, origin, reason, error }: AbsentHook): Inventory['absent'][number] {
  return { hook: name, origin, reason, ...(error !== undefined && explain(error)) };
}

function explain({ code, message, hint }: SignalboxError): {
  code: typeof code;
  detail: string;
  hint: string;
} {
  return { code, detail: message, hint };
}
