import { join } from 'node:path';
import type { TracerProvider } from '@opentelemetry/api';
import { buildChildEntries } from '../host/build.ts';
import { nurseriesInTurn, type Nurseries } from '../host/nurseries.ts';
import type { ProcessFacts } from '../host/sandbox.ts';
import { SignalboxError } from '../sdk/errors.ts';
import type { Manifest } from '../sdk/manifest.ts';
import { isPoint, POINT_NAMES, type Point } from '../sdk/points.ts';
import { openActs, type Acts } from './acts/acts.ts';
import { openApprovalOffice } from './approvals/approval-office.ts';
import type { Budgets } from './budgets/budgets.ts';
import { createLiveFaults, type LiveFaults } from './chaos/live-faults.ts';
import { createAttachments } from './agent-os/attachments.ts';
import { bagOf } from './agent-os/bag.ts';
import { hookMetrics } from './agent-os/hook-metrics.ts';
import { readTranscript } from './agent-os/transcript.ts';
import { nearest } from './config/nearest.ts';
import type { RuntimeConfig } from './config/runtime-config.ts';
import type { Feed } from './feed/feed.ts';
import { applicable } from './fire/bound-hook.ts';
import { chosenHooks } from './fire/chosen-hooks.ts';
import { createDecisionLog } from './fire/decision-log.ts';
import type { FireObservers } from './fire/observer.ts';
import { createRequestSlot } from './fire/request-slot.ts';
import { createPayloadChecks } from './fire/payloads.ts';
import { createToolCheck } from './fire/tool-schema.ts';
import { createTurnStates } from './fire/turn-state.ts';
import { openGrantChanges } from './grants/grant-changes.ts';
import { createGrants } from './grants/grants.ts';
import { takeInventory } from './inventory.ts';
import { openLedgers } from './ledgers.ts';
import { createLogger, type Log, type LogOptions } from './log.ts';
import type { Metrics } from './metrics/metrics.ts';
import { withModes } from './modes/mode-change.ts';
import { openModeChanges } from './modes/mode-changes.ts';
import { openOnlookers } from './onlookers.ts';
import { buildCatalog } from './packages/build-catalog.ts';
import type { Catalog } from './packages/catalog.ts';
import type { Records } from './records/records.ts';
import { startRetention } from './records/retention.ts';
import { createReadiness, type Readiness } from './readiness.ts';
import { openEdition, type Edition, type House } from './reload/edition.ts';
import { createEditions } from './reload/editions.ts';
import { openLoadProofs } from './reload/load-proofs.ts';
import { createReloader } from './reload/reloader.ts';
import { rigCatalog, type Rig } from './rig.ts';
import type { Runtime } from './runtime.ts';
import { openOperatorRows } from './sql/operator-rows.ts';
import type { DatabaseThreads } from './sql/threads.ts';
import type { Store } from './store/store.ts';
import { reportOf } from './test-report.ts';
import type { Context, Verdict } from './verdict.ts';

/** A runtime with the parts that a server or a shell shows beside the hooks. The maker closes it, and them with it. */
export interface LiveRuntime extends Runtime {
  readonly config: RuntimeConfig;
  readonly store: Store;
  readonly records: Records;
  /** What operators did while it ran, and before. */
  readonly acts: Acts;
  /** Faults that are put in the place of hooks at work. */
  readonly faults: LiveFaults;
  readonly metrics: Metrics;
  readonly log: Log;
  readonly budgets: Budgets;
  /** What hooks decide now and decided of late. */
  readonly feed: Feed;
  /** Who looks on while hooks decide. */
  readonly observers: FireObservers;
  /** The manifests of the hooks that would decide on a call at a point. */
  manifestsAt(point: Point, context?: Context): readonly Manifest[];
  /** The manifest of a hook in the chain. */
  manifestOf(hook: string): Manifest | undefined;
  processes(): readonly ProcessFacts[];
  /** Whether calls can be sent here now. */
  readiness(): Promise<Readiness>;
}

/** What a runtime is started from. */
export interface RuntimeStart {
  readonly config: RuntimeConfig;
  /** The hooks of the configuration, where they are looked for already. */
  readonly catalog?: Promise<Catalog> | undefined;
  readonly log?: LogOptions | undefined;
  readonly rig?: Rig | undefined;
  readonly tracerProvider?: TracerProvider | undefined;
  /** Processes of the configuration's folder that are on their way already; closed with the runtime. */
  readonly nurseries?: Nurseries | undefined;
  /** Threads that are on their way already; those left over end with the start. */
  readonly threads?: DatabaseThreads | undefined;
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
  { config, catalog, log: logOptions, rig, tracerProvider, nurseries, threads }: RuntimeStart,
  onOpened: (close: () => Promise<void>) => void,
  closeAll: () => Promise<void>,
): Promise<LiveRuntime> {
  const log = createLogger({ reasons: config.records.reasons, ...logOptions });
  onOpened(() => log.close());
  const onProblem = (error: SignalboxError): void => log.problem(error);
  const [{ store, records, database }, configured, entries] = await settled([
    openLedgers(config, { onOpened, onProblem, threads }),
    (catalog ?? buildCatalog(config)).then((built) => rigCatalog(built, rig)),
    nurseries?.entries ?? buildChildEntries(join(config.folder, '.signalbox')),
  ]);
  const grantChanges = await openGrantChanges(database, onProblem);
  onOpened(() => grantChanges.close());
  const modes = await openModeChanges(database, onProblem);
  onOpened(() => modes.close());
  const rules = (): Edition => editions.current;
  const { folder } = config;
  const approvals = openApprovalOffice({ folder, database, records, log, rules });
  const acts = openActs(database);
  const attachments = createAttachments(() => editions.current.catalog.hooks, acts);
  const turns = createTurnStates();
  const onlookers = await openOnlookers({
    telemetry: config.telemetry,
    tracerProvider,
    log,
    now: rig?.now ?? Date.now,
    approvals,
    reloads: () => reloader.counts,
    fault: () => faults.current(),
    editions: () => editions,
  });
  onOpened(() => onlookers.close());
  const { observers, feed, metrics, coverage, masked } = onlookers;
  const house: House = {
    proofs: await openLoadProofs(join(config.folder, '.signalbox'), entries.buildHash),
    nurseries: nurseriesInTurn(entries, nurseries),
    database,
    store,
    log,
    grants: grantChanges,
    attachments,
    rig,
    payloads: createPayloadChecks(),
    checkTool: createToolCheck(),
    ask: approvals.ask,
    turns,
    decisions: createDecisionLog({ records, metrics, log }),
    observers,
    reasons: config.records.reasons,
  };
  const found = withModes(configured, modes.all());
  const editions = createEditions(
    await openEdition(house, { number: 1, config, configured, found }),
    log,
  );
  onOpened(() => editions.close());
  const now = (): Edition => editions.current;
  const grants = createGrants({ changes: grantChanges, catalog: () => now().catalog, log });
  const reloader = createReloader({
    house,
    editions,
    modes,
    rows: openOperatorRows(database),
    onReplaced: (edition) => report(edition, log),
  });
  const { substitute } = reloader;
  const hooks = () => takeInventory(now(), [], undefined).hooks;
  const faults = createLiveFaults({ substitute, hooks, observers, acts, onProblem });
  const requests = createRequestSlot();
  report(now(), log);
  onOpened(startRetention({ retention: config.records, records, onProblem }));
  let closing: Promise<void> | undefined;
  const refuseWhenClosed = (): void => {
    if (closing !== undefined) throw new SignalboxError('runtime_closed');
  };
  return {
    get config() {
      return now().config;
    },
    store,
    records,
    acts,
    metrics,
    log,
    approvals,
    get budgets() {
      return now().budgets;
    },
    feed,
    observers,
    grants,
    sessionHooks: attachments.sessions,
    hookMetrics: () => hookMetrics(metrics.snapshot().hooks),
    bag: () => bagOf(now().catalog.hooks),
    transcript: (sessionId) => readTranscript(records, sessionId),
    manifestsAt: (point, context = {}) =>
      editions
        .atHand(context.sessionId)
        .flatMap(({ chains }) => applicable(chains.of(point), context).enforced)
        .map(({ entry }) => entry.manifest),
    manifestOf: (hook) => now().catalog.hooks.find(({ name }) => name === hook)?.manifest,
    processes: () => editions.hosts().flatMap((host) => host.processes()),
    async fire<P extends Point>(point: P, payload: unknown, given: Context = {}) {
      refuseWhenClosed();
      // Before anything is awaited: the call is kept in the task of whoever fires.
      const context = requests.contextOf(point, payload, given);
      // A call that is refused for its point is no call of the turn.
      const knownPoint = known(point);
      const { chains, firing, inFlight } = editions.of(context);
      const chain = chains.of(knownPoint);
      const end = isLastOfTurn(point) ? context.sessionId : undefined;
      inFlight.enter();
      try {
        const verdict = firing.isOpen(chain)
          ? firing.pass(point, payload)
          : await firing.live(chain, payload, context);
        coverage.note(point, context, verdict);
        // The verdict of a chain has the payload of the chain's point.
        return verdict as Verdict<P>;
      } finally {
        inFlight.leave();
        if (end !== undefined) editions.endTurn(end);
        if (end !== undefined && point === 'sessionEnd') turns.end(end);
      }
    },
    async test(request) {
      refuseWhenClosed();
      const point = known(request.point);
      const { payload, context = {} } = request;
      const { chains, catalog, firing, inFlight } = now();
      const hooks = chosenHooks(request, chains, catalog);
      const mode = rig === undefined ? 'test' : 'live';
      inFlight.enter();
      try {
        return reportOf(await firing.trial(hooks, { point, payload, context, mode }));
      } finally {
        inFlight.leave();
      }
    },
    inventory: () => takeInventory(now(), masked.ofLate(), faults.current()),
    faults,
    readiness: createReadiness({ isClosing: () => closing !== undefined, database, edition: now }),
    coverage: () => coverage.read(now().chains, metrics.snapshot().passedDespiteFailure),
    reload: (order) => reloader.reload(order),
    setMode: (hook, mode, order) => reloader.setMode(hook, mode, order),
    endSession(sessionId) {
      turns.end(sessionId);
      for (const { host } of editions.all()) host.endSession(sessionId);
      editions.endTurn(sessionId);
      attachments.endSession(sessionId);
    },
    close() {
      closing ??= reloader
        .close()
        .then(() => editions.idle())
        .then(closeAll);
      return closing;
    },
  };
}

/** After these nothing of a turn comes. */
function isLastOfTurn(point: Point): boolean {
  return point === 'runEnd' || point === 'sessionEnd';
}

/** Logs what is wrong without stopping anything. */
function report({ catalog, chains, failureOf, config: { limits } }: Edition, log: Log): void {
  const { loadMs } = limits;
  for (const warning of [...catalog.warnings, ...chains.warnings]) log.problem(warning);
  for (const entry of catalog.hooks) {
    const failure = failureOf(entry);
    if (failure === undefined) continue;
    const data = { hook: entry.name, package: entry.origin.name, detail: failure.detail, loadMs };
    log.problem(new SignalboxError(failure.code, data));
  }
}

/** All values, once none is still on its way: what opens late would never be closed. */
async function settled<A, B, C>(
  promises: readonly [Promise<A>, Promise<B>, Promise<C> | C],
): Promise<[A, B, C]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

function known(point: string): Point {
  if (isPoint(point)) return point;
  throw new SignalboxError('point_unknown', { point, nearest: nearest(point, POINT_NAMES) ?? '' });
}
