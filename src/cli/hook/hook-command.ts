import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

import { interceptionOf } from '../../../sdk/contracts/agent-os-trace.ts';
import { SignalboxError } from '../../../sdk/errors.ts';
import { POINTS } from '../../../sdk/points.ts';
import { configFromObject } from '../../config/load-config.ts';
import { printable } from '../../config/printable.ts';
import { startRuntime, type LiveRuntime } from '../../live-runtime.ts';
import type { InventoryRow, TestReport } from '../../runtime.ts';
import type { Context } from '../../verdict.ts';
import { EXIT } from '../exit-code.ts';
import { hookEvent, type HookEvent } from './hook-events.ts';
import type { Session } from '../session.ts';

/** Options of `signalbox hook`. */
export interface HookFlags {
  /** A file in place of the hook's `db_path`, and of the store. */
  readonly db?: string;
  /** Let the hook ask the real model. */
  readonly live?: boolean;
  readonly agent?: string;
  readonly template?: string;
  readonly user?: string;
  readonly session?: string;
}

/** What is run: a manifest of agent-os, a verb and its words. */
export interface HookCall {
  readonly file: string;
  readonly verb: string;
  readonly words: readonly string[];
}

/** Shows a hook of agent-os, or runs it alone on one event, in its sandbox and with a store of its own. */
export async function runHook(
  { terminal, config }: Session,
  { file, verb, words }: HookCall,
  flags: HookFlags,
): Promise<number> {
  const event = verb === 'info' ? undefined : hookEvent(verb, words);
  const hookFile = await realpath(resolve(file)).catch(() => resolve(file));
  const scratch = await mkdtemp(join(tmpdir(), 'signalbox-hook-'));
  const runtime = await open(hookFile, { scratch, flags, folder: dirname(resolve(config)) });
  try {
    const row = rowOf(runtime);
    if (event === undefined) {
      terminal.json(infoOf(row));
      return row.failure === undefined ? EXIT.ok : EXIT.problems;
    }
    const report = await runtime.test({ ...callOf(row, event), context: contextOf(flags) });
    if (terminal.isJson) terminal.json(report);
    else print(terminal, event, report);
    return report.hooks.every(({ code }) => code === undefined) ? EXIT.ok : EXIT.problems;
  } finally {
    await runtime.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

interface Place {
  /** Removed when the command ends. */
  readonly scratch: string;
  readonly flags: HookFlags;
  /** Where this checkout keeps what it built. */
  readonly folder: string;
}

async function open(hookFile: string, { scratch, flags, folder }: Place): Promise<LiveRuntime> {
  const { db, live = false } = flags;
  const config = configFromObject(
    {
      store: { file: db === undefined ? join(scratch, 'store.db') : resolve(db) },
      records: { file: join(scratch, 'records.db') },
    },
    folder,
  );
  return startRuntime({
    config: { ...config, hookFile, ...(db !== undefined && { hookDb: resolve(db) }) },
    log: { level: 'silent' },
    // Without --live nothing leaves this machine: a judge gets no answer.
    ...(!live && { rig: { portsOf: (ports) => ({ ...ports, llm: undefined }) } }),
  });
}

/** The one hook of the runtime. Throws what keeps it out of its chain. */
function rowOf(runtime: LiveRuntime): InventoryRow {
  const { hooks, absent } = runtime.inventory();
  const [row] = hooks;
  if (row !== undefined) return row;
  const [missing] = absent;
  const detail = missing?.detail ?? missing?.reason ?? 'it was not found';
  throw new SignalboxError('request_invalid', { detail });
}

function infoOf(row: InventoryRow): object {
  const { hook, capabilities, priority, timeoutMs, config, failure } = row;
  const points = row.points.filter(({ order }) => order > 0);
  return {
    name: hook,
    points: points.flatMap(({ point }) => POINTS[point].names.agentOs ?? []),
    priority: priority === 0 ? 0 : -priority,
    timeout_secs: timeoutMs / 1000,
    capabilities: capabilities.granted,
    config,
    ...(failure !== undefined && { error: failure.detail }),
  };
}

function callOf(row: InventoryRow, { point, payload }: HookEvent) {
  const isBound = row.points.some((bound) => bound.point === point && bound.order > 0);
  if (isBound || row.failure !== undefined) return { point, payload, hookName: row.hook };
  const name = POINTS[point].names.agentOs?.[0] ?? point;
  const detail = `the script of "${row.hook}" has no function ${name}`;
  throw new SignalboxError('request_invalid', { detail });
}

function contextOf({ agent, template, user, session }: HookFlags): Context {
  return {
    ...(session !== undefined && { sessionId: session }),
    ...(user !== undefined && { caller: { userId: user } }),
    ...((agent !== undefined || template !== undefined) && {
      agent: { id: agent ?? 'main', ...(template !== undefined && { template }) },
    }),
  };
}

function print(terminal: Session['terminal'], { point }: HookEvent, report: TestReport): void {
  const { verdict, logs, modified } = report;
  const name = POINTS[point].names.agentOs?.[0] ?? point;
  const said = interceptionOf(point, verdict);
  terminal.line(`${name}: ${said?.action ?? 'neutral'}`);
  const { reason, result, feedback, text, inject, retry, outputs } = verdict;
  for (const [key, value] of Object.entries({ reason, result, feedback, text, retry })) {
    if (value !== undefined)
      terminal.line(
        `${key}: ${printable(typeof value === 'string' ? value : JSON.stringify(value), 2000)}`,
      );
  }
  for (const { content } of inject) terminal.line(`context: ${printable(content, 2000)}`);
  if (Object.keys(outputs).length > 0)
    terminal.line(`outputs: ${printable(JSON.stringify(outputs), 2000)}`);
  if (modified) terminal.json(report.output);
  for (const { line } of logs) terminal.line(`log: ${printable(line, 2000)}`);
  for (const { code, detail } of report.hooks) {
    if (code !== undefined)
      terminal.note(
        `the hook failed and was skipped: ${code}${detail === undefined ? '' : `, ${printable(detail, 500)}`}`,
      );
  }
}
