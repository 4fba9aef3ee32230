import { InvalidArgumentError, Option, type Command } from 'commander';
import { FAULT_NAMES } from '../../testing/faults.ts';
import type { LiveChaosFlags } from '../operate/live-chaos-command.ts';
import type { Session } from '../session.ts';
import type { ReplayFlags } from './replay-command.ts';

type Run = (command: (session: Session) => Promise<number>) => Promise<void>;

/** The commands that show what hooks would do to traffic that was, and when one of them fails. */
export function addReplayCommands(program: Command, run: Run): void {
  program
    .command('replay')
    .description('replay recorded conversations through the hooks')
    .argument('<file...>', 'JSON lines, a JSON array or {"messages"} in OpenAI chat format')
    .option('--decisions <file>', 'write one row of JSON per fire to this file')
    .option('--compare', 'under two configurations, named before the recordings: what changes')
    .action((files: string[], flags: ReplayFlags) =>
      run(async (session) =>
        flags.compare === true
          ? (await import('./compare-command.ts')).runCompare(session, files)
          : (await import('./replay-command.ts')).runReplay(session, files, flags),
      ),
    );
  program
    .command('chaos')
    .description('make a hook fail for some calls, on copies of the databases: what callers get')
    .argument('<hook>')
    .addOption(
      new Option('--fault <name>', 'how it fails').choices(FAULT_NAMES).makeOptionMandatory(),
    )
    .option('--calls <number>', 'calls of each of its points', parseCalls, 20)
    .option('--expect <action>', 'exit with 1 when a caller gets another')
    .option('--live', 'in a server at work, for its next calls: real callers get it')
    .option('--url <url>', 'the server of --live; that of runtime.json, if absent')
    .option('--force', 'also where calls that the hook guards pass while it fails; with --live')
    .option('--reason <text>', 'why; kept with who did it, with --live')
    .action((hook: string, flags: LiveChaosFlags & { readonly live?: boolean }) =>
      run(async (session) =>
        flags.live === true
          ? (await import('../operate/live-chaos-command.ts')).runLiveChaos(session, hook, flags)
          : (await import('../chaos-command.ts')).runChaos(session, hook, flags),
      ),
    );
}

function parseCalls(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a number from 1.');
}
