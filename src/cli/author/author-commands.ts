import type { Command } from 'commander';
import { CONTRACT_NAMES } from '../../../sdk/manifest.ts';
import type { BenchFlags } from './bench-command.ts';
import type { DevFlags } from './dev-command.ts';
import type { NewFlags } from './new-command.ts';
import type { PackFlags } from './pack-command.ts';
import type { Session } from '../session.ts';

type Run = (command: (session: Session) => Promise<number>) => Promise<void>;

/** The commands for those who write hooks. */
export function addAuthorCommands(program: Command, run: Run): void {
  program
    .command('new')
    .description('write a new hook package that is ready to run, or a local hook')
    .argument('<name>', 'its name for npm, such as "no-wipe" or "@acme/no-wipe"')
    .option('--points <list>', 'points it is bound to, separated by commas')
    .option('--capabilities <list>', 'what it may do; what its points need, if not given')
    .option('--package', 'a package in a folder of its name, as without --local')
    .option('--local', 'a folder in hooks/ here, for this runtime alone')
    .option('--contract <name>', `whose shape its module has: ${CONTRACT_NAMES.join(', ')}`)
    .option('--js', 'JavaScript instead of TypeScript')
    .action((name: string, flags: NewFlags) =>
      run(async (session) => (await import('./new-command.ts')).runNew(session, name, flags)),
    );
  program
    .command('dev')
    .description('run the fixtures of a hook again whenever a file of it is saved')
    .argument('[folder]', 'the hook, or a package with one hook', '.')
    .option('--once', 'run them once and end')
    .option('--inspect', 'UNSAFE: run it without a sandbox, for a debugger')
    .action((folder: string, flags: DevFlags) =>
      run(async (session) => (await import('./dev-command.ts')).runDev(session, folder, flags)),
    );
  program
    .command('bench')
    .description('measure a hook over its fixtures, beside an empty one')
    .argument('[folder]', 'the hook, or a package with one hook', '.')
    .option('--rounds <number>', 'how often each fixture runs', '200')
    .action((folder: string, flags: BenchFlags) =>
      run(async (session) => (await import('./bench-command.ts')).runBench(session, folder, flags)),
    );
  program
    .command('pack')
    .description('check a hook package before it is published, and write its tarball')
    .argument('[folder]', 'the package', '.')
    .option('--check', 'write nothing')
    .action((folder: string, flags: PackFlags) =>
      run(async (session) => (await import('./pack-command.ts')).runPack(session, folder, flags)),
    );
}
