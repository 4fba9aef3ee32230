import type { ReloadReport } from '../../reload/differences.ts';
import type { Terminal } from '../terminal.ts';

/** Says what a reload changed. */
export function tellReload(
  terminal: Pick<Terminal, 'line'>,
  { changed, needsRestart }: ReloadReport,
): void {
  if (changed.length === 0) terminal.line('Nothing changed');
  for (const { kind, name, change } of changed) terminal.line(`${change} ${kind} ${name}`);
  if (needsRestart.length > 0) terminal.line(`After a restart: ${needsRestart.join(', ')}`);
}
