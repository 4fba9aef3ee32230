import { userInfo } from 'node:os';
import { SignalboxError } from '../../../sdk/errors.ts';
import { loadConfig } from '../../config/load-config.ts';
import type { GrantChange } from '../../grants/grant-change.ts';
import { openGrantChanges } from '../../grants/grant-changes.ts';
import { createGrants, holdGrants, type Grants } from '../../grants/grants.ts';
import { createLogger } from '../../log.ts';
import { buildCatalog } from '../../packages/build-catalog.ts';
import { openDatabase } from '../../sql/database.ts';
import { EXIT } from '../exit-code.ts';
import type { Session } from '../session.ts';

/** What a command line asks of grants. */
export interface GrantOrder {
  readonly action: GrantChange['action'];
  readonly target: string;
  readonly capabilities: readonly string[];
  /** The user of this process, if absent. */
  readonly by?: string | undefined;
}

/** Changes what a hook or package may do. Runtimes that are at work follow within a second. */
export async function runGrantOrder(
  session: Session,
  { action, target, capabilities, by = userInfo().username }: GrantOrder,
): Promise<number> {
  return withGrants(session, async (grants) => {
    await grants[action]({ target, capabilities, by }).catch((error: unknown) => {
      throw asUsage(error);
    });
    const { terminal } = session;
    if (terminal.isJson) terminal.json({ action, target, capabilities, by });
    else terminal.line(`${PAST[action]} ${capabilities.join(', ')}: ${target}, by ${by}`);
    return EXIT.ok;
  });
}

/** What is wrong with a request is wrong with the words of the command: the hint about the API helps nobody here. */
function asUsage(error: unknown): unknown {
  if (!(error instanceof SignalboxError) || error.code !== 'request_invalid') return error;
  return new SignalboxError('usage', { detail: sentence(String(error.data['detail'] ?? '')) });
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const PAST = { revoke: 'Revoked', narrow: 'Narrowed to', restore: 'Restored' } as const;

/** Lists what was changed, oldest first. */
export async function runGrantList(session: Session): Promise<number> {
  return withGrants(session, async (grants) => {
    const { terminal } = session;
    const changes = grants.changes();
    if (terminal.isJson) terminal.json(changes);
    else if (changes.length === 0) terminal.line('Nothing was revoked: runtime.json holds.');
    else {
      terminal.table(
        ['time', 'action', 'hook or package', 'capabilities', 'by'],
        changes.map(({ time, action, target, capabilities, by }) => [
          new Date(time).toISOString().slice(0, 19),
          action,
          target,
          capabilities,
          by,
        ]),
      );
    }
    return EXIT.ok;
  });
}

async function withGrants<T>(session: Session, use: (grants: Grants) => Promise<T>): Promise<T> {
  const config = await loadConfig(session.config);
  // What is required may well be what is to be restored.
  const found = await buildCatalog({ ...config, hooks: { ...config.hooks, required: [] } });
  const database = await openDatabase(config.records.file);
  const log = createLogger({ level: 'silent' });
  try {
    const changes = await openGrantChanges(database, (error) => log.problem(error));
    try {
      const { catalog } = holdGrants({ found, required: [], changes });
      return await use(createGrants({ changes, catalog: () => catalog, log }));
    } finally {
      await changes.close();
    }
  } finally {
    await database.close();
    await log.close();
  }
}
