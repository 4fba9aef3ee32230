import { loadConfig } from '../config/load-config.ts';
import { SignalboxError } from '../../sdk/errors.ts';
import { openDatabase } from '../sql/database.ts';
import { openStore, type Store } from '../store/store.ts';
import { EXIT } from './exit-code.ts';
import type { Session } from './session.ts';

/** Loads the rows of a JSONL file into a collection: all of them or none. */
export async function runStoreLoad(
  session: Session,
  collection: string,
  file: string,
): Promise<number> {
  const { terminal } = session;
  return withStore(session, async (store) => {
    const counts = await store.load(collection, file, {
      onProgress: ({ rows }) => terminal.progress(`${rows} rows read`),
    });
    terminal.progress();
    if (terminal.isJson) terminal.json({ collection, ...counts });
    else
      terminal.line(
        `Loaded ${counts.rows} rows into ${collection}, ${counts.replaced} of them replaced`,
      );
    return EXIT.ok;
  });
}

/** Lists the collections. */
export async function runStoreList(session: Session): Promise<number> {
  const { terminal } = session;
  return withStore(session, async (store) => {
    const collections = await store.collections();
    if (terminal.isJson) terminal.json(collections);
    else if (collections.length === 0) terminal.line('The store is empty.');
    else
      terminal.table(
        ['collection', 'rows'],
        collections.map(({ name, rows }) => [name, rows]),
      );
    return EXIT.ok;
  });
}

/** Prints one row as JSON; a row that is not there is `null` and exit code 1. */
export async function runStoreGet(
  session: Session,
  collection: string,
  key: string,
): Promise<number> {
  return withStore(session, async (store) => {
    const row = await store.get(collection, key);
    session.terminal.json(row);
    return row === null ? EXIT.problems : EXIT.ok;
  });
}

/** Prints the rows whose fields equal the given ones, one line of JSON each. */
export async function runStoreQuery(
  session: Session,
  collection: string,
  where: readonly string[],
): Promise<number> {
  const filter = Object.fromEntries(where.map(parseWhere));
  return withStore(session, async (store) => {
    for (const row of await store.query(collection, filter)) session.terminal.json(row);
    return EXIT.ok;
  });
}

async function withStore<T>(session: Session, use: (store: Store) => Promise<T>): Promise<T> {
  const { store } = await loadConfig(session.config);
  const database = await openDatabase(store.file);
  try {
    return await use(await openStore(database, { indexes: store.indexes }));
  } finally {
    await database.close();
  }
}

/** `field=value`: numbers, true, false and null are those, a text in quotes is a text, and so is everything else. */
function parseWhere(text: string): [string, string | number | boolean | null] {
  const at = text.indexOf('=');
  if (at < 1) throw new SignalboxError('usage', { detail: '--where takes field=value' });
  const written = text.slice(at + 1);
  try {
    const value: unknown = JSON.parse(written);
    if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) {
      return [text.slice(0, at), value as string | number | boolean | null];
    }
  } catch {
    // Not JSON: it is the text as it stands.
  }
  return [text.slice(0, at), written];
}
