import type { Command } from 'commander';
import type { AddFlags } from './add-command.ts';
import type { GrantFlags } from './package-session.ts';
import type { Session } from '../session.ts';

type Run = (command: (session: Session) => Promise<number>) => Promise<void>;

/** The commands that install packages of hooks and say what is installed. */
export function addPackageCommands(program: Command, run: Run): void {
  program
    .command('add')
    .description('fetch a package of hooks, show what they may do, and enable them once you agree')
    .argument('<spec>', 'a name with a range or tag, a tarball, URL, git repository or folder')
    .option('--grant <capability...>', 'agree to these capabilities without being asked')
    .option('--grant-all', 'agree to every capability that its hooks declare')
    .option('--use <selector...>', 'take these hooks alone: hooks.<name>, hooks.* or !hooks.<name>')
    .option('--partial', 'let its hooks run with fewer capabilities than they declare')
    .action((spec: string, flags: AddFlags) =>
      run(async (session) => (await import('./add-command.ts')).runAdd(session, spec, flags)),
    );
  program
    .command('update')
    .description(
      'bring packages to the newest version of their range; more capabilities need consent',
    )
    .argument('[package]', 'this package alone')
    .option('--grant <capability...>', 'agree to these new capabilities without being asked')
    .option('--grant-all', 'agree to every new capability')
    .action((name: string | undefined, flags: GrantFlags) =>
      run(async (session) => (await import('./update-command.ts')).runUpdate(session, name, flags)),
    );
  program
    .command('remove')
    .description('take a package out of runtime.json and the lock')
    .argument('<package>')
    .action((name: string) =>
      run(async (session) => (await import('./remove-command.ts')).runRemove(session, name)),
    );
  program
    .command('list')
    .description('list the packages: version, hooks, grants, who agreed, state of the cache')
    .action(() => run(async (session) => (await import('./list-command.ts')).runList(session)));
  program
    .command('outdated')
    .description('list the packages that have a newer version')
    .action(() =>
      run(async (session) => (await import('./outdated-command.ts')).runOutdated(session)),
    );
  program
    .command('why')
    .description('say which entry, selector, conflict or rule decided whether a hook is on')
    .argument('<hook>')
    .action((hook: string) =>
      run(async (session) => (await import('./why-command.ts')).runWhy(session, hook)),
    );
  program
    .command('ci')
    .description('install exactly what runtime.lock.json names, and fail on any difference')
    .action(() => run(async (session) => (await import('./ci-command.ts')).runCi(session)));
}
