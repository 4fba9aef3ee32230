import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { RuntimeConfig } from '../config/runtime-config.ts';

/** The budgets with what files of `config/` say; most checkouts have none, and do not pay for the parser of YAML. */
export async function budgetsOf(config: RuntimeConfig): Promise<RuntimeConfig['budgets']> {
  const isThere = await hasConfigFolder(config.folder);
  return isThere ? (await import('./budget-files.ts')).withBudgetFiles(config) : config.budgets;
}

/** Whether a checkout has the folder in which agent-os keeps hooks, agents and budgets. */
export async function hasConfigFolder(folder: string): Promise<boolean> {
  return stat(join(folder, 'config')).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
}
