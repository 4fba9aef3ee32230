import { EXIT } from './exit-code.ts';
import { printInventory } from './inventory-tables.ts';
import { withRuntime, type Session } from './session.ts';

/** Lists the hooks that are live, and those that are not and why. */
export async function runHooks(session: Session): Promise<number> {
  return withRuntime(session, { level: 'silent' }, async (runtime) => {
    printInventory(session.terminal, runtime.inventory());
    return EXIT.ok;
  });
}
