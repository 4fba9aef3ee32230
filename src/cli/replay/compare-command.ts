import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { SignalboxError } from '../../../sdk/errors.ts';
import { loadConfig } from '../../config/load-config.ts';
import { printable } from '../../config/printable.ts';
import type { RuntimeConfig } from '../../config/runtime-config.ts';
import { openRehearsal } from '../../rehearsal.ts';
import { compare, type Change, type ComparedSide } from '../../replay/comparison.ts';
import { readRecordings } from '../../replay/recording.ts';
import { EXIT } from '../exit-code.ts';
import type { Session } from '../session.ts';
import type { Cell } from '../table.ts';

/** Replays recordings under two configurations and lists what changes, by call; 1 when something does. */
export async function runCompare(
  session: Session,
  [before, after, ...files]: readonly string[],
): Promise<number> {
  const { terminal, signal } = session;
  if (before === undefined || after === undefined || files.length === 0) {
    const detail = '--compare takes two configurations, then the recordings';
    throw new SignalboxError('usage', { detail });
  }
  if (files.includes('-')) {
    throw new SignalboxError('usage', { detail: '--compare reads a recording twice: name a file' });
  }
  const configs = [await configOf(session, before), await configOf(session, after)] as const;
  const first = await openRehearsal(configs[0]);
  try {
    const second = await openRehearsal(configs[1]);
    try {
      const rows: Cell[][] = [];
      const result = await compare(
        { before: first.runtime, after: second.runtime },
        () => readRecordings(files),
        {
          signal: AbortSignal.any([signal, terminal.closed]),
          onChange(change) {
            if (terminal.isJson) terminal.json(change);
            else if (rows.length < MAX_ROWS) rows.push(cellsOf(change));
          },
          onProblem: (error) => terminal.error(error),
          onFire: (fires, changes) => terminal.progress(`${fires} fires, ${changes} changed`),
        },
      );
      terminal.progress();
      const { fires, changes } = result;
      if (!terminal.isJson) {
        if (rows.length > 0) terminal.table(HEAD, rows);
        if (changes > rows.length)
          terminal.note(`and ${changes - rows.length} more: --json has all`);
        terminal.line(`${changes} of ${fires} fires change`);
      }
      if (signal.aborted) return EXIT.interrupted;
      return changes + result.before.problems > 0 ? EXIT.problems : EXIT.ok;
    } finally {
      await second.close();
    }
  } finally {
    await first.close();
  }
}

/** What a person reads, and what a table may take of memory. */
const MAX_ROWS = 1000;

const HEAD = ['conversation', 'call', 'point', 'tool', 'before', 'after', 'what changes'];

function cellsOf({ conversation, call, point, tool, before, after, changed }: Change): Cell[] {
  return [
    printable(conversation, 40),
    call ?? '-',
    point,
    tool ?? '-',
    said(before),
    said(after),
    changed,
  ];
}

function said({ action, hook, code }: ComparedSide): string {
  return [action, ...(hook === null ? [] : [hook]), ...(code === null ? [] : [code])].join(' ');
}

/** A runtime.json; or `<package>=<folder or tarball>`, which is that of the session with this in place of its package. */
async function configOf(session: Session, text: string): Promise<RuntimeConfig> {
  const [, name, path] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (name === undefined || path === undefined || existsSync(text)) return loadConfig(text);
  const config = await loadConfig(session.config);
  if (!config.packages.some((entry) => entry.package === name)) {
    throw new SignalboxError('usage', {
      detail: `runtime.json has no package "${name}" to replace`,
    });
  }
  return {
    ...config,
    packages: config.packages.map((entry) => {
      const { version: _, ...rest } = entry;
      return entry.package === name ? { ...rest, package: resolve(path) } : entry;
    }),
  };
}
