import { Argument, type Command } from 'commander';
import type { Session } from '../session.ts';
import type { ModeFlags } from './mode-command.ts';
import type { ServerFlags } from './server-call.ts';

type Run = (command: (session: Session) => Promise<number>) => Promise<void>;

const URL_OPTION = ['--url <url>', 'the server; that of runtime.json, if absent'] as const;

/** The commands that change and ask what runs. */
export function addOperateCommands(program: Command, run: Run): void {
  program
    .command('reload')
    .description('have the server take over what runtime.json, hooks and lock say now')
    .option(...URL_OPTION)
    .option('--list', 'list the reloads so far instead, with who asked for each')
    .action(({ list, ...flags }: ServerFlags & { readonly list?: boolean }) =>
      run(async (session) =>
        list === true
          ? (await import('./reload-list.ts')).runReloadList(session)
          : (await import('./reload-command.ts')).runReload(session, flags),
      ),
    );
  program
    .command('coverage')
    .description('show what the hooks of a server saw since its start and what went past; 1 if any')
    .option(...URL_OPTION)
    .action((flags: ServerFlags) =>
      run(async (session) => (await import('./coverage-command.ts')).runCoverage(session, flags)),
    );
  program
    .command('mode')
    .description('put a hook into shadow mode or out of it; without a hook, list what was changed')
    .argument('[hook]')
    .addArgument(new Argument('[mode]').choices(['enforce', 'shadow']))
    .option('--force', 'for a guard that is to hold nothing back any more')
    .option('--reason <text>', 'why; kept with who did it')
    .option('--by <name>', 'who decided it; your user name, if absent')
    .action((hook: string | undefined, mode: 'enforce' | 'shadow' | undefined, flags: ModeFlags) =>
      run(async (session) =>
        (await import('./mode-command.ts')).runMode(session, { ...flags, hook, mode }),
      ),
    );
}
