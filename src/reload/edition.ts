import { openHost } from '../../host/host.ts';
import type { Nurseries } from '../../host/nurseries.ts';
import type { Host, HostLimits } from '../../host/sandbox.ts';
import { createAccessRules, isRestricting, type AccessRules } from '../access/access-rules.ts';
import { budgetsOf } from '../agent-os/config-folder.ts';
import { problemOf } from '../approvals/approval-office.ts';
import { createEmitter } from '../bridges/emitter.ts';
import { openPorts } from '../bridges/open-ports.ts';
import { openBudgets, type Budgets } from '../budgets/budgets.ts';
import type { BudgetsSettings, RuntimeConfig } from '../config/runtime-config.ts';
import { bindHooks, withoutHandlersOf } from '../fire/bound-hook.ts';
import { createFiring, type Firing, type FiringParts } from '../fire/fire.ts';
import { createInFlight, type InFlight } from '../fire/in-flight.ts';
import type { Scope } from '../fire/scope.ts';
import type { GrantChanges } from '../grants/grant-changes.ts';
import { holdGrants } from '../grants/grants.ts';
import type { InventoryParts } from '../inventory.ts';
import type { Log } from '../log.ts';
import type { Catalog, HookEntry } from '../packages/catalog.ts';
import type { Rig } from '../rig.ts';
import type { Database } from '../sql/database.ts';
import { composeAgents } from '../standard-agents/composition.ts';
import type { Store } from '../store/store.ts';
import type { LoadProofs } from './load-proofs.ts';
import { loadHooks, type LoadedHooks } from './loading.ts';

/** What stays when the configuration changes. */
export interface House extends Pick<
  FiringParts,
  'payloads' | 'checkTool' | 'ask' | 'turns' | 'decisions' | 'observers' | 'reasons'
> {
  readonly proofs: LoadProofs;
  /** Where the processes of a further host come from. */
  readonly nurseries: () => Nurseries;
  readonly database: Database;
  readonly store: Store;
  readonly log: Log;
  readonly grants: GrantChanges;
  readonly attachments: Scope;
  readonly rig: Rig | undefined;
}

/** What an edition is made from. */
export interface EditionDraft {
  /** Counts from 1. */
  readonly number: number;
  readonly config: RuntimeConfig;
  /** The hooks as the configuration has them, and with the modes that hold. */
  readonly configured: Catalog;
  readonly found: Catalog;
  /** What it follows: hooks that did not change stay in their processes. */
  readonly previous?: Edition | undefined;
  readonly isRereading?: boolean;
}

/** Everything that one configuration comes to. Calls that began in one end in it. */
export interface Edition extends EditionDraft, InventoryParts {
  readonly host: Host;
  readonly loaded: LoadedHooks;
  readonly access: AccessRules;
  readonly budgets: Budgets;
  /** With what files of `config/` say. */
  readonly budgetSettings: BudgetsSettings;
  readonly firing: Firing;
  readonly inFlight: InFlight;
  /** Ends what belongs to it alone; not the sandboxes, which others may share. */
  close(): Promise<void>;
}

/** Loads the hooks of a configuration and binds them. Throws `hook_required`, `composition`; nothing of it is left then. */
export async function openEdition(house: House, draft: EditionDraft): Promise<Edition> {
  const { config, previous, number, found, isRereading = false } = draft;
  const { limits } = config;
  const isShared = previous !== undefined && haveEqualLimits(previous.config.limits, limits);
  const host = isShared ? previous.host : openHost({ limits, nurseries: house.nurseries() });
  const loaded = await loadHooks(host, {
    entries: found.hooks,
    previous: isShared ? previous.loaded : undefined,
    edition: number,
    isRereading,
    proofs: house.proofs,
    required: config.hooks.required,
  });
  try {
    return await assemble(house, draft, { host, loaded });
  } catch (error) {
    await dropSandboxes({ host, loaded }, previous === undefined ? [] : [previous]);
    throw error;
  }
}

/** Ends the sandboxes of an edition that none of the others uses. */
export async function dropSandboxes(
  { host, loaded }: Pick<Edition, 'host' | 'loaded'>,
  others: readonly Pick<Edition, 'host' | 'loaded'>[],
): Promise<void> {
  const sharers = others.filter((other) => other.host === host);
  if (sharers.length === 0) return host.close();
  const isUsed = (name: string): boolean =>
    sharers.some((other) => [...other.loaded.values()].some(({ source }) => source.name === name));
  for (const { source } of loaded.values()) if (!isUsed(source.name)) host.unload(source.name);
}

async function assemble(
  house: House,
  draft: EditionDraft,
  { host, loaded }: Pick<Edition, 'host' | 'loaded'>,
): Promise<Edition> {
  const { config, found } = draft;
  const { database, store, log, rig, payloads } = house;
  const { required, order } = config.hooks;
  const placed = {
    ...found,
    hooks: found.hooks.map((entry) => ({
      ...entry,
      source: loaded.get(entry.name)?.source ?? entry.source,
    })),
  };
  const held = holdGrants({ found: placed, required, changes: house.grants });
  try {
    const { catalog } = held;
    const failureOf = (entry: HookEntry) => entry.failure ?? loaded.get(entry.name)?.failure;
    const { agents } = config;
    const scopes = [house.attachments, composeAgents({ agents, hooks: catalog.hooks, failureOf })];
    const handlers = handlersOf(loaded);
    const chains = held.chainsOf((entries) =>
      bindHooks({ entries, order, failureOf, handlers, scopes }),
    );
    for (const point of new Set(catalog.hooks.flatMap(({ manifest }) => manifest.points))) {
      payloads.prepare(point);
    }
    const inFlight = createInFlight();
    const emit = createEmitter({
      fire: (payload, context, emitter) =>
        firing.live(withoutHandlersOf(chains.of('event'), emitter), payload, context),
      inFlight,
    });
    const access = createAccessRules(config.access);
    const budgetSettings = await budgetsOf(config);
    const budgets = openBudgets(database, budgetSettings);
    const bridges = openPorts(config, { store, emit, env: process.env });
    const firing = createFiring({
      ...house,
      host,
      ports: rig?.portsOf?.(bridges.ports) ?? bridges.ports,
      access,
      isRestricted: isRestricting(config.access),
      isQueueOpen: config.approvals.enabled,
      onAskFailed: (error) => log.problem(problemOf(error)),
      inFlight,
      limits: config.limits,
      onInjectionOverflow: (point, { sessionId, turnId }) =>
        log.info('injection_overflow', { point, session: sessionId, turn: turnId }),
      now: rig?.now ?? Date.now,
    });
    const close = async (): Promise<void> => {
      held.release();
      await bridges.close();
    };
    const parts = { catalog, chains, failureOf, access, budgets, firing, inFlight, close };
    return { ...draft, host, loaded, budgetSettings, ...parts };
  } catch (error) {
    held.release();
    throw error;
  }
}

function handlersOf(loaded: LoadedHooks) {
  return new Map(
    [...loaded].flatMap(([name, { handlers }]) =>
      handlers === undefined ? [] : [[name, handlers] as const],
    ),
  );
}

const HOST_LIMITS = {
  loadMs: true,
  graceMs: true,
  queueMs: true,
  queueLength: true,
  rssMb: true,
  idleMs: true,
  maxIsolates: true,
} as const satisfies Record<keyof HostLimits, true>;

/** Limits are part of a sandbox: under others everything is loaded anew. */
function haveEqualLimits(before: HostLimits, after: HostLimits): boolean {
  // The keys of the table are those of the limits.
  const names = Object.keys(HOST_LIMITS) as (keyof HostLimits)[];
  return names.every((name) => before[name] === after[name]);
}
