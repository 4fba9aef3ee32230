import { readdir } from 'node:fs/promises';
import { flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';

import type { LiveRuntime } from '../live-runtime.ts';
import { readRecordings } from '../replay/recording.ts';
import { replay } from '../replay/replay.ts';
import { EXIT } from './exit-code.ts';
import { printInventory } from './inventory-tables.ts';
import { coverageLine } from './operate/coverage-report.ts';
import { catchHangups } from './operate/hangup.ts';
import { decisionLine, progressLine } from './replay/replay-printing.ts';
import { withRuntime, type Session } from './session.ts';
import { readVersion } from '../version.ts';

/** Options of `signalbox start`. */
export interface StartFlags {
  readonly port?: number;
  readonly host?: string;
  /** A recording in place of those beside runtime.json; `false`, none. */
  readonly replay?: string | boolean;
  /** `false`: end after the replay. */
  readonly serve?: boolean;
}

/** Shows the hooks, replays the recordings beside runtime.json, then serves until it is told to stop. */
export async function runStart(session: Session, flags: StartFlags): Promise<number> {
  const { terminal } = session;
  const isQuiet = { now: terminal.isWatched };
  const log = { pretty: terminal.isWatched, destination: logStream(isQuiet) };
  const hangups = catchHangups(terminal);
  return withRuntime(session, log, async (runtime) => {
    hangups.follow(runtime);
    printInventory(terminal, runtime.inventory());
    const isClean = await replayRecordings(session, runtime, flags);
    isQuiet.now = false;
    if (session.signal.aborted) return EXIT.interrupted;
    if (flags.serve === false) return isClean ? EXIT.ok : EXIT.problems;
    await serve(session, runtime, flags);
    return EXIT.ok;
  }).finally(() => hangups.end());
}

/** While the recordings are replayed, people see each decision once, not also as a line of the log. */
function logStream(isQuiet: { readonly now: boolean }): Writable {
  return new Writable({
    decodeStrings: false,
    write(line: string, _encoding, done) {
      if (!isQuiet.now) process.stderr.write(line);
      done();
    },
  });
}

/** Whether nothing failed and everything could be read. */
async function replayRecordings(
  { terminal, signal }: Session,
  runtime: LiveRuntime,
  flags: StartFlags,
): Promise<boolean> {
  const files = await findRecordings(runtime.config.folder, flags.replay ?? true);
  if (files.length === 0) return true;
  terminal.note(`\nReplaying ${files.length === 1 ? 'a recording' : `${files.length} recordings`}`);
  let firstMs: number | undefined;
  const progress = await replay(runtime, readRecordings(files), {
    signal,
    onDecision(row) {
      firstMs ??= performance.now();
      if (terminal.isJson) terminal.json(row);
      else if (row.action !== 'allow' || row.code !== null) terminal.line(decisionLine(row));
    },
    onProblem: (error) => terminal.error(error),
  });
  const first =
    firstMs === undefined ? '' : `; first decision ${Math.round(firstMs)} ms after the start`;
  terminal.note(`${progressLine(progress)}${first}`);
  return progress.failures + progress.problems === 0;
}

async function findRecordings(folder: string, wanted: string | boolean): Promise<string[]> {
  if (typeof wanted === 'string') return [wanted];
  if (!wanted) return [];
  const recordings = join(folder, 'recordings');
  const names = await readdir(recordings).catch(() => []);
  return names
    .filter((name) => /\.(jsonl|ndjson|json)$/i.test(name))
    .sort()
    .map((name) => join(recordings, name));
}

async function serve(
  { terminal, signal }: Session,
  runtime: LiveRuntime,
  flags: StartFlags,
): Promise<void> {
  // Not before: loading an HTTP server would hold up the first decision.
  const { openServer } = await import('../server/server.ts');
  const { followTokens } = await import('../server/tokens.ts');
  const { server, limits } = runtime.config;
  const opened = await openServer(runtime, {
    host: flags.host ?? server.host,
    port: flags.port ?? server.port,
    token: process.env['SIGNALBOX_TOKEN'] ?? server.token,
    tokens: followTokens(
      () => runtime.config.server.tokens,
      process.env,
      (error) => terminal.error(error),
    ),
    limits: server,
    payloadBytes: limits.payloadBytes,
    version: readVersion(),
    onFault: (error) => terminal.error(error),
  });
  keepCallsYoung();
  if (terminal.isJson) terminal.json({ listening: opened.url });
  else terminal.line(`\nListening on ${opened.url} (Ctrl-C stops)`);
  try {
    await aborted(signal);
    terminal.note('Stopping: calls that run may finish');
  } finally {
    await opened.close();
    terminal.note(coverageLine(runtime.coverage()));
  }
}

/**
 * V8 takes objects that many calls in flight have in common for long-lived, and makes them among what stays for good.
 * There they outlive their calls, with all that they refer to, until the whole heap is collected: five times the work.
 */
function keepCallsYoung(): void {
  // Under another flag V8 takes no compiled code that was kept, Node's own included: a start would take a fifth longer.
  flushCompileCache();
  setFlagsFromString('--no-allocation-site-pretenuring');
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
