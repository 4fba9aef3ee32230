import { watch } from 'node:fs';
import { once } from 'node:events';
import { SignalboxError } from '../../../sdk/errors.ts';
import { printable } from '../../config/printable.ts';
import { differencesFrom, readFixturesIn } from '../../testing/fixtures.ts';
import { findHook, type HookPlace } from '../../testing/hook-place.ts';
import { openTestHost, type TestHost } from '../../testing/test-host.ts';
import type { TestOutcome } from '../../testing/outcome.ts';
import { EXIT } from '../exit-code.ts';
import type { Session } from '../session.ts';
import type { Terminal } from '../terminal.ts';

/** Options of `signalbox dev`. */
export interface DevFlags {
  readonly once?: boolean;
  readonly inspect?: boolean;
}

/** Editors write a file in several steps. */
const SETTLE_MS = 40;
/** Folders whose changes are none of the author's. */
const IGNORED = /(^|[\\/])(node_modules|\.signalbox|packages-cache|\.git|dist)([\\/]|$)/;

/** Runs the fixtures of a hook in its sandbox, and again whenever a file of its package is saved, until it is interrupted. */
export async function runDev(
  { terminal, signal }: Session,
  folder: string,
  { once: isOnce = false, inspect: isInspected = false }: DevFlags,
): Promise<number> {
  const place = await findHook(folder);
  await place.remove();
  if (isInspected) {
    const { inspectUnsafely } = await import('./unsafe-inspection.ts');
    return inspectUnsafely(terminal, place, signal);
  }
  const workshop = openWorkshop(folder);
  try {
    if (isOnce) return (await runFixtures(terminal, workshop)) ? EXIT.ok : EXIT.problems;
    const changes = watchPackage(place, signal);
    terminal.note(`Watching ${place.root}. Ctrl-C ends it.`);
    while (!signal.aborted) {
      const started = performance.now();
      const isGood = await runFixtures(terminal, workshop);
      const [ms, loadMs] = [performance.now() - started, workshop.loadMs()];
      terminal.note(
        `${isGood ? 'All as expected' : 'Not as expected'}. Loaded in ${loadMs.toFixed(0)} ms, fixtures in ${(ms - loadMs).toFixed(0)} ms. Waiting for a change.`,
      );
      await changes();
    }
    return EXIT.interrupted;
  } finally {
    await workshop.close();
  }
}

/** The hook that is worked on, in a host that is kept from save to save. */
interface Workshop {
  readonly folder: string;
  /** With what the files say now. */
  current(): Promise<TestHost>;
  /** How long that took. */
  readonly loadMs: () => number;
  close(): Promise<void>;
}

function openWorkshop(folder: string): Workshop {
  let host: TestHost | undefined;
  let loadMs = 0;
  const close = async (): Promise<void> => {
    const last = host;
    host = undefined;
    await last?.close();
  };
  return {
    folder,
    loadMs: () => loadMs,
    close,
    async current() {
      const started = performance.now();
      try {
        await host?.reload();
        return (host ??= await openTestHost({ hook: folder }));
      } catch (error) {
        // What runs on is no longer what is written.
        await close();
        throw error;
      } finally {
        loadMs = performance.now() - started;
      }
    },
  };
}

/** Watches until the signal; each call resolves once something has changed since the last, and it has settled. */
function watchPackage({ root }: HookPlace, signal: AbortSignal): () => Promise<void> {
  const changes = new EventTarget();
  let isChanged = false;
  const watcher = watch(root, { recursive: true, signal }, (_event, file) => {
    if (file !== null && IGNORED.test(file)) return;
    isChanged = true;
    changes.dispatchEvent(new Event('change'));
  });
  watcher.on('error', () => undefined);
  signal.addEventListener('abort', () => changes.dispatchEvent(new Event('change')));
  return async () => {
    if (!isChanged && !signal.aborted) await once(changes, 'change');
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    isChanged = false;
  };
}

/** Whether every fixture came out as it says. What is wrong is shown, and ends nothing. */
async function runFixtures(terminal: Terminal, workshop: Workshop): Promise<boolean> {
  try {
    const host = await workshop.current();
    const place = await findHook(workshop.folder);
    await place.remove();
    const fixtures = await readFixturesIn(place);
    let isGood = true;
    for (const { file, ...fixture } of fixtures) {
      const { point, payload, context } = fixture;
      // The point checks the payload.
      const outcome = await host.run(point, payload as never, context);
      const problems = differencesFrom(fixture, outcome.verdict);
      isGood &&= problems.length === 0;
      show(terminal, file, { outcome, problems });
    }
    if (fixtures.length === 0) terminal.note(`${host.name} loads, and has no fixtures yet`);
    return isGood;
  } catch (error) {
    if (!(error instanceof SignalboxError)) throw error;
    terminal.error(error);
    return false;
  }
}

function show(
  terminal: Terminal,
  file: string,
  { outcome, problems }: { readonly outcome: TestOutcome; readonly problems: readonly string[] },
): void {
  const { decision, detail, ms } = outcome;
  if (terminal.isJson) return terminal.json({ fixture: file, ms, problems, decision, detail });
  const { logs = [], action, reason, code } = decision;
  const mark = problems.length === 0 ? 'ok  ' : 'FAIL';
  const why = [code, reason].filter((part) => part !== undefined).join(' ');
  terminal.line(printable(`${mark} ${file}: ${action} ${why}`.trimEnd(), 400));
  for (const problem of problems) terminal.line(printable(`       ${problem}`, 2000));
  if (detail !== undefined) {
    for (const line of detail.split('\n')) terminal.line(printable(`       ${line}`, 400));
  }
  for (const line of logs) terminal.line(printable(`       log ${line}`, 2000));
}
