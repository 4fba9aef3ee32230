import { SignalboxError } from '../../sdk/errors.ts';
import { nameOf } from '../acts/acts.ts';
import { configFromObject, loadConfig } from '../config/load-config.ts';
import { printable } from '../config/printable.ts';
import type { RuntimeConfig } from '../config/runtime-config.ts';
import { endedModes, withModes, type Mode, type ModeChange } from '../modes/mode-change.ts';
import type { ModeChanges } from '../modes/mode-changes.ts';
import { changeOf, type ModeOrder } from '../modes/mode-request.ts';
import { buildCatalog } from '../packages/build-catalog.ts';
import { rigCatalog } from '../rig.ts';
import { readTokens } from '../server/tokens.ts';
import type { OperatorRows } from '../sql/operator-rows.ts';
import { changesBetween, heldBack, refusalOf, type ReloadReport } from './differences.ts';
import { openEdition, type Edition, type EditionDraft, type House } from './edition.ts';
import type { Editions } from './editions.ts';
import { createSubstitution, type Substitute } from './substitute.ts';

/** Who wants a reload, and from what. */
export interface ReloadOrder {
  readonly who: string;
  /** What would stand in runtime.json, for a runtime that was opened with an object; without it the same is looked through again. */
  readonly config?: object;
}

/** Changes what a runtime runs while it runs: one change after the other. */
export interface Reloader {
  reload(order: ReloadOrder): Promise<ReloadReport>;
  setMode(hook: string, mode: Mode, order: ModeOrder): Promise<void>;
  /** A reload and a change of mode end it. */
  readonly substitute: Substitute;
  /** Reloads since the start by what came of them. */
  readonly counts: Readonly<Record<'applied' | 'refused', number>>;
  /** Takes no more changes; resolves when none is on its way. */
  close(): Promise<void>;
}

/** What changes are made with. */
export interface ReloaderParts {
  readonly house: House;
  readonly editions: Editions;
  readonly modes: ModeChanges;
  readonly rows: Pick<OperatorRows, 'insertReload'>;
  /** Told of an edition that took over. */
  readonly onReplaced: (edition: Edition) => void;
}

type Draft = Pick<EditionDraft, 'config' | 'configured' | 'isRereading'>;

/** Makes the changes of a runtime. Modes that other processes change are followed. */
export function createReloader({
  house,
  editions,
  modes,
  rows,
  onReplaced,
}: ReloaderParts): Reloader {
  const { log, rig } = house;
  let last = Promise.resolve();
  let isClosed = false;
  let count = editions.current.number;
  const counts = { applied: 0, refused: 0 };
  const substitution = createSubstitution(house, editions, () => (count += 1));

  const inTurn = <T>(change: () => Promise<T>): Promise<T> => {
    if (isClosed) return Promise.reject(new SignalboxError('runtime_closed'));
    const running = last.then(change);
    last = running.then(
      () => undefined,
      () => undefined,
    );
    return running;
  };
  const open = (draft: Draft, changes: readonly ModeChange[]): Promise<Edition> => {
    count += 1;
    const found = withModes(draft.configured, changes);
    return openEdition(house, { ...draft, number: count, found, previous: editions.current });
  };
  const takeOver = (next: Edition, holdsAtOnce: boolean): void => {
    editions.replace(next, { holdsAtOnce });
    onReplaced(next);
  };

  /** Puts the modes in force that the changes come to. */
  async function applyModes(
    changes: readonly ModeChange[],
    { isStrict }: { readonly isStrict: boolean },
  ): Promise<void> {
    const wanted = withModes(editions.current.configured, changes);
    const { found } = editions.current;
    const isThere = wanted.hooks.every(({ mode }, at) => mode === found.hooks[at]?.mode);
    if (isThere) return;
    substitution.end();
    const { current } = editions;
    const { configured, config } = current;
    const next = await open({ config, configured }, changes);
    const refusal = isStrict ? refusalOf(current, next) : undefined;
    if (refusal !== undefined) {
      await editions.discard(next);
      throw refusal;
    }
    takeOver(next, true);
  }

  async function reload({ who, config: given }: ReloadOrder): Promise<ReloadReport> {
    substitution.end();
    const before = editions.current;
    const { config, needsRestart } = heldBack(before.config, await readAgain(before.config, given));
    checkTokens(before.config, config);
    const configured = rigCatalog(await buildCatalog(config), rig ?? {});
    const next = await open({ config, configured, isRereading: true }, modes.all());
    const refusal = refusalOf(before, next);
    const changed = refusal === undefined ? changesBetween(before, next) : [];
    if (changed.length === 0) await editions.discard(next);
    if (refusal !== undefined) throw refusal;
    if (changed.length > 0) takeOver(next, false);
    await endModes();
    const names = changed.map(({ name, change }) => `${name} ${change}`).join(', ');
    log.info('config_reloaded', { by: who, changed: names, needsRestart: needsRestart.join(', ') });
    await note(who, 'applied', { changed, needsRestart });
    return { changed, needsRestart };
  }

  /** Keeps that what the configuration contradicts is over, and logs it where that cannot be. */
  async function endModes(): Promise<void> {
    try {
      for (const ended of endedModes(editions.current.configured, modes.all())) {
        await modes.add({ ...ended, time: Date.now() });
      }
    } catch (error) {
      if (error instanceof SignalboxError) log.problem(error);
    }
  }

  async function note(by: string, outcome: 'applied' | 'refused', detail: object): Promise<void> {
    counts[outcome] += 1;
    try {
      await rows.insertReload({ time: Date.now(), by, outcome, detail: JSON.stringify(detail) });
    } catch (error) {
      // What holds is what runs; that it could not be kept is in the log.
      if (error instanceof SignalboxError) log.problem(error);
    }
  }

  void inTurn(endModes);
  const unfollow = modes.onChange(() => {
    void inTurn(() => applyModes(modes.all(), { isStrict: false })).catch((error: unknown) => {
      if (error instanceof SignalboxError) log.problem(error);
    });
  });

  return {
    counts,
    reload: (order) =>
      inTurn(async () => {
        const who = nameOf(order.who);
        try {
          return await reload({ ...order, who });
        } catch (error) {
          const code = error instanceof SignalboxError ? error.code : 'internal';
          const detail = error instanceof Error ? error.message : '';
          log.info('reload_refused', { by: who, code, detail: printable(detail) });
          await note(who, 'refused', { code, detail: printable(detail) });
          throw error;
        }
      }),
    setMode: (hook, mode, order) =>
      inTurn(async () => {
        const { configured, found } = editions.current;
        const facts = { hook, mode, ...order, configured: configured.hooks, standing: found.hooks };
        const change = changeOf(facts);
        if (change === undefined) return;
        const { by, reason } = change;
        // A guard is armed before that is kept, and taken down only once it is.
        if (mode === 'enforce') await applyModes([...modes.all(), change], { isStrict: true });
        await modes.add(change);
        await applyModes(modes.all(), { isStrict: false });
        log.info('mode_changed', { hook, mode, by, reason });
      }),
    substitute: (standIn) => inTurn(() => substitution.begin(standIn)),
    close() {
      isClosed = true;
      unfollow();
      return last.then(() => substitution.end());
    },
  };
}

/** Taken over, one that cannot be read would lock out everybody. Those of a runtime that nobody serves need no values. */
function checkTokens({ server: before }: RuntimeConfig, { server: after }: RuntimeConfig): void {
  const isChanged = JSON.stringify(before.tokens) !== JSON.stringify(after.tokens);
  if (isChanged) readTokens(after.tokens, process.env);
}

async function readAgain(now: RuntimeConfig, given: object | undefined): Promise<RuntimeConfig> {
  if (given !== undefined) return configFromObject(given, now.folder);
  return now.file === undefined ? now : loadConfig(now.file);
}
