import { join } from 'node:path';
import { buildChildEntries } from '../host/build.ts';
import { openHost } from '../host/host.ts';
import type { ProcessFacts } from '../host/sandbox.ts';
import { SignalboxError } from '../sdk/errors.ts';
import type { Manifest } from '../sdk/manifest.ts';
import { isPoint, POINT_NAMES, type Point } from '../sdk/points.ts';
import { isRestricting } from './access/access-rules.ts';
import { openApprovalOffice, problemOf } from './approvals/approval-office.ts';
import type { Budgets } from './budgets/budgets.ts';
import { budgetsOf } from './agent-os/config-folder.ts';
import { createAttachments } from './agent-os/attachments.ts';
import { bagOf } from './agent-os/bag.ts';
import { hookMetrics } from './agent-os/hook-metrics.ts';
import { readTranscript } from './agent-os/transcript.ts';
import type { Failure } from './chain/call.ts';
import { createEmitter } from './bridges/emitter.ts';
import { openPorts } from './bridges/open-ports.ts';
import { nearest } from './config/nearest.ts';
import type { RuntimeConfig } from './config/runtime-config.ts';
import { createFeed, type Feed } from './feed/feed.ts';
import { applicable, bindHooks, withoutHandlersOf } from './fire/bound-hook.ts';
import { chosenHooks } from './fire/chosen-hooks.ts';
import { createDecisionLog } from './fire/decision-log.ts';
import { createFiring } from './fire/fire.ts';
import { createInFlight } from './fire/in-flight.ts';
import { createFireObservers, type FireObservers } from './fire/observer.ts';
import { loadHooks } from './fire/load-hooks.ts';
import { createRequestSlot } from './fire/request-slot.ts';
import { createPayloadChecks } from './fire/payloads.ts';
import { createToolCheck } from './fire/tool-schema.ts';
import { createTurnStates } from './fire/turn-state.ts';
import { openGrants } from './grants/grants.ts';
import { takeInventory, type InventoryParts } from './inventory.ts';
import { createLogger, type Log, type LogOptions } from './log.ts';
import { openMetrics, type Metrics } from './metrics/metrics.ts';
import { buildCatalog } from './packages/build-catalog.ts';
import type { HookEntry } from './packages/catalog.ts';
import { openRecords, type Records } from './records/records.ts';
import { rigCatalog, type Rig } from './rig.ts';
import type { Runtime } from './runtime.ts';
import { composeAgents } from './standard-agents/composition.ts';
import { openDatabase, type Database } from './sql/database.ts';
import { openStore, type Store } from './store/store.ts';
import { reportOf } from './test-report.ts';
import type { Context, Verdict } from './verdict.ts';

/** A runtime with the parts that a server or a shell shows beside the hooks. The maker closes it, and them with it. */
export interface LiveRuntime extends Runtime {
  readonly config: RuntimeConfig;
  readonly store: Store;
  readonly records: Records;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly budgets: Budgets;
  /** What hooks decide now and decided of late. */
  readonly feed: Feed;
  /** Who looks on while hooks decide. */
  readonly observers: FireObservers;
  /** The manifests of the hooks that would decide on a call at a point. */
  manifestsAt(point: Point, context?: Context): readonly Manifest[];
  processes(): readonly ProcessFacts[];
}

/** What a runtime is started from. */
export interface RuntimeStart {
  readonly config: RuntimeConfig;
  readonly log?: LogOptions | undefined;
  readonly rig?: Rig | undefined;
}

/** Opens what hooks need and loads them. What was opened is closed again when something cannot be. */
export async function startRuntime(start: RuntimeStart): Promise<LiveRuntime> {
  const opened: (() => Promise<void>)[] = [];
  const closeAll = async (): Promise<void> => {
    for (const close of opened.splice(0).toReversed()) await close();
  };
  try {
    return await assemble(start, (close) => opened.push(close), closeAll);
  } catch (error) {
    await closeAll();
    throw error;
  }
}

async function assemble(
  { config, log: logOptions, rig }: RuntimeStart,
  onOpened: (close: () => Promise<void>) => void,
  closeAll: () => Promise<void>,
): Promise<LiveRuntime> {
  const log = createLogger({ reasons: config.records.reasons, ...logOptions });
  onOpened(() => log.close());
  const [{ store, records, database }, found, entries] = await settled([
    openLedgers(config, onOpened),
    buildCatalog(config).then((built) => rigCatalog(built, rig)),
    buildChildEntries(join(config.folder, '.signalbox')),
  ]);
  const { required, order } = config.hooks;
  const held = await openGrants({ found, required, database, log });
  onOpened(() => held.close());
  const { catalog, grants } = held;
  const host = openHost({ limits: config.limits, entries });
  onOpened(() => host.close());
  const office = openApprovalOffice({
    config: { ...config, budgets: await budgetsOf(config) },
    database,
    records,
    log,
  });
  const { access, approvals, budgets } = office;
  const { failures, handlers } = await loadHooks(host, found);
  const metrics = openMetrics();
  const failureOf = (entry: HookEntry): Failure | undefined =>
    entry.failure ?? failures.get(entry.name);
  const attachments = createAttachments(() => catalog.hooks);
  const { agents } = config;
  const scopes = [attachments, composeAgents({ agents, hooks: catalog.hooks, failureOf })];
  const chains = held.chainsOf((hooks) =>
    bindHooks({ entries: hooks, order, failureOf, handlers, scopes }),
  );
  const payloads = createPayloadChecks();
  for (const point of new Set(catalog.hooks.flatMap(({ manifest }) => manifest.points))) {
    payloads.prepare(point);
  }
  const turns = createTurnStates();
  const inFlight = createInFlight();
  const observers = createFireObservers();
  const now = rig?.now ?? Date.now;
  const feed = createFeed(now);
  observers.add(feed.observer);
  const requests = createRequestSlot();
  const emit = createEmitter({
    fire: (payload, context, emitter) =>
      firing.live(withoutHandlersOf(chains.of('event'), emitter), payload, context),
    inFlight,
  });
  const bridges = openPorts(config, { store, emit, env: process.env });
  onOpened(() => bridges.close());
  const firing = createFiring({
    host,
    ports: rig?.portsOf?.(bridges.ports) ?? bridges.ports,
    payloads,
    checkTool: createToolCheck(),
    access,
    isRestricted: isRestricting(config.access),
    ask: approvals.ask,
    isQueueOpen: config.approvals.enabled,
    onAskFailed: (error) => log.problem(problemOf(error)),
    turns,
    decisions: createDecisionLog({ records, metrics, log }),
    observers,
    reasons: config.records.reasons,
    inFlight,
    limits: config.limits,
    onInjectionOverflow: (point, { sessionId, turnId }) =>
      log.info('injection_overflow', { point, session: sessionId, turn: turnId }),
    now,
  });
  report({ catalog, chains, failureOf, log, loadMs: config.limits.loadMs });
  void forgetOldRecords(config, records, log);
  let closing: Promise<void> | undefined;
  const refuseWhenClosed = (): void => {
    if (closing !== undefined) throw new SignalboxError('runtime_closed');
  };
  return {
    config,
    store,
    records,
    metrics,
    log,
    approvals,
    budgets,
    feed,
    observers,
    grants,
    sessionHooks: attachments.sessions,
    hookMetrics: () => hookMetrics(metrics.snapshot().hooks),
    bag: () => bagOf(catalog.hooks),
    transcript: (sessionId) => readTranscript(records, sessionId),
    manifestsAt: (point, context = {}) =>
      applicable(chains.of(point), context).enforced.map(({ entry }) => entry.manifest),
    processes: () => host.processes(),
    async fire<P extends Point>(point: P, payload: unknown, given: Context = {}) {
      refuseWhenClosed();
      // Before anything is awaited: the call is kept in the task of whoever fires.
      const context = requests.contextOf(point, payload, given);
      const chain = chains.of(known(point));
      // The verdict of a chain has the payload of the chain's point.
      if (firing.isOpen(chain)) return firing.pass(point, payload) as Verdict<P>;
      inFlight.enter();
      try {
        return (await firing.live(chain, payload, context)) as Verdict<P>;
      } finally {
        inFlight.leave();
      }
    },
    async test(request) {
      refuseWhenClosed();
      const point = known(request.point);
      const { payload, context = {} } = request;
      const hooks = chosenHooks(request, chains, catalog);
      inFlight.enter();
      try {
        return reportOf(
          await firing.trial(hooks, {
            point,
            payload,
            context,
            mode: rig === undefined ? 'test' : 'live',
          }),
        );
      } finally {
        inFlight.leave();
      }
    },
    inventory: () => takeInventory({ catalog, chains, failureOf }),
    endSession(sessionId) {
      turns.end(sessionId);
      host.endSession(sessionId);
      attachments.endSession(sessionId);
    },
    close() {
      closing ??= inFlight.idle().then(closeAll);
      return closing;
    },
  };
}

async function openLedgers(
  { store: { file, indexes }, records: settings }: RuntimeConfig,
  onOpened: (close: () => Promise<void>) => void,
): Promise<{
  readonly store: Store;
  readonly records: Records;
  readonly database: Database;
}> {
  const open = async (path: string): Promise<Database> => {
    const database = await openDatabase(path);
    onOpened(() => database.close());
    return database;
  };
  const storeOpening = open(file);
  const recordsOpening = settings.file === file ? storeOpening : open(settings.file);
  // What opens late would never be closed.
  await Promise.allSettled([storeOpening, recordsOpening]);
  const recordsDatabase = await recordsOpening;
  const store = await openStore(await storeOpening, { indexes });
  const records = openRecords(recordsDatabase, { reasons: settings.reasons });
  onOpened(() => records.close());
  return { store, records, database: recordsDatabase };
}

/** Logs what is wrong without stopping the start. */
function report({
  catalog,
  chains,
  failureOf,
  log,
  loadMs,
}: InventoryParts & { readonly log: Log; readonly loadMs: number }): void {
  for (const warning of [...catalog.warnings, ...chains.warnings]) log.problem(warning);
  for (const entry of catalog.hooks) {
    const failure = failureOf(entry);
    if (failure === undefined) continue;
    const data = { hook: entry.name, package: entry.origin.name, detail: failure.detail, loadMs };
    log.problem(new SignalboxError(failure.code, data));
  }
}

const DAY_MS = 86_400_000;

async function forgetOldRecords(
  { records: { retentionDays } }: RuntimeConfig,
  records: Records,
  log: Log,
): Promise<void> {
  if (retentionDays === null) return;
  try {
    await records.prune(Date.now() - retentionDays * DAY_MS);
  } catch {
    log.problem(new SignalboxError('database', { detail: 'forget old records' }));
  }
}

/** All values, once none is still on its way: what opens late would never be closed. */
async function settled<A, B, C>(
  promises: readonly [Promise<A>, Promise<B>, Promise<C>],
): Promise<[A, B, C]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

function known(point: string): Point {
  if (isPoint(point)) return point;
  throw new SignalboxError('point_unknown', { point, nearest: nearest(point, POINT_NAMES) ?? '' });
}
