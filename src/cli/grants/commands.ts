import type { Command } from 'commander';
import type { Session } from '../session.ts';
import type { GrantOrder } from './grants-command.ts';

type Run = (command: (session: Session) => Promise<number>) => Promise<void>;

const ORDERS = {
  revoke: 'take capabilities from a hook or from every hook of a package, from its next call on',
  narrow: 'leave of the capabilities with these names only those given',
  restore: 'lift what was revoked or narrowed, up to what runtime.json grants',
} as const satisfies Record<GrantOrder['action'], string>;

/** The commands that change what hooks may do while they run. */
export function addGrantCommands(program: Command, run: Run): void {
  const grants = program
    .command('grants')
    .description('take capabilities from hooks while they run, and give them back');
  const load = () => import('./grants-command.ts');
  grants
    .command('list')
    .description('list what was changed, when and by whom')
    .action(() => run(async (session) => (await load()).runGrantList(session)));
  for (const [action, description] of Object.entries(ORDERS)) {
    grants
      .command(action)
      .description(description)
      .argument('<target>', 'a hook or a package')
      .argument('<capability...>', 'such as gates_tools or store:read:documents')
      .option('--by <name>', 'who decided it; your user name, if absent')
      .action((target: string, capabilities: string[], { by }: { by?: string }) =>
        run(async (session) => {
          // The keys of ORDERS are the actions.
          const order = { action: action as GrantOrder['action'], target, capabilities, by };
          return (await load()).runGrantOrder(session, order);
        }),
      );
  }
}
