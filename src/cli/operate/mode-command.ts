import { userInfo } from 'node:os';
import { SignalboxError } from '../../../sdk/errors.ts';
import { loadConfig } from '../../config/load-config.ts';
import { createLogger } from '../../log.ts';
import { withModes, type Mode, type ModeChange } from '../../modes/mode-change.ts';
import { openModeChanges, type ModeChanges } from '../../modes/mode-changes.ts';
import { changeOf } from '../../modes/mode-request.ts';
import { buildCatalog } from '../../packages/build-catalog.ts';
import { openDatabase } from '../../sql/database.ts';
import { EXIT } from '../exit-code.ts';
import type { Session } from '../session.ts';

/** Options of `signalbox mode`. */
export interface ModeFlags {
  readonly force?: boolean;
  readonly reason?: string;
  /** The user of this process, if absent. */
  readonly by?: string;
}

/** What a command line asks of a mode. */
export interface ModeOrderLine extends ModeFlags {
  readonly hook: string | undefined;
  readonly mode: Mode | undefined;
}

/** Changes the mode of a hook, or lists the changes. Runtimes that are at work follow within a moment. */
export async function runMode(session: Session, order: ModeOrderLine): Promise<number> {
  const { hook, mode } = order;
  if (hook === undefined) return withChanges(session, async (modes) => list(session, modes.all()));
  if (mode === undefined) {
    throw new SignalboxError('usage', { detail: 'The mode is missing: enforce or shadow' });
  }
  return change(session, { ...order, hook, mode });
}

async function change(
  session: Session,
  { hook, mode, by, ...rest }: ModeFlags & { readonly hook: string; readonly mode: Mode },
): Promise<number> {
  const { terminal } = session;
  const config = await loadConfig(session.config);
  // A required hook that cannot run must not keep another one from being changed.
  const configured = await buildCatalog({ ...config, hooks: { ...config.hooks, required: [] } });
  return withChanges(session, async (modes) => {
    const standing = withModes(configured, modes.all()).hooks;
    const who = by ?? userInfo().username;
    const made = changeOf({ hook, mode, who, ...rest, configured: configured.hooks, standing });
    if (made !== undefined) await modes.add(made);
    if (terminal.isJson) terminal.json(made ?? { hook, mode });
    else if (made === undefined) terminal.line(`${hook} is in mode ${mode} already`);
    else terminal.line(`${hook} is in mode ${mode} from its next call on, by ${made.by}`);
    return EXIT.ok;
  });
}

async function list({ terminal }: Session, changes: readonly ModeChange[]): Promise<number> {
  if (terminal.isJson) terminal.json(changes);
  else if (changes.length === 0) terminal.line('No mode was changed: runtime.json holds.');
  else {
    terminal.table(
      ['time', 'hook', 'mode', 'by', 'reason'],
      changes.map(({ time, hook, mode, by, reason = '' }) => [
        new Date(time).toISOString().slice(0, 19),
        hook,
        mode,
        by,
        reason,
      ]),
    );
  }
  return EXIT.ok;
}

async function withChanges(
  session: Session,
  use: (modes: ModeChanges) => Promise<number>,
): Promise<number> {
  const config = await loadConfig(session.config);
  const database = await openDatabase(config.records.file);
  const log = createLogger({ level: 'silent' });
  try {
    const modes = await openModeChanges(database, (error) => log.problem(error));
    try {
      return await use(modes);
    } finally {
      await modes.close();
    }
  } finally {
    await database.close();
    await log.close();
  }
}
