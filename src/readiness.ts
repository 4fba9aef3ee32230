import type { HookEntry } from './packages/catalog.ts';
import type { Edition } from './reload/edition.ts';
import type { Database } from './sql/database.ts';
import { takesWrites } from './sql/write-probe.ts';

/** Whether calls can be sent here, and what stands against it. */
export interface Readiness {
  readonly ready: boolean;
  /** In words for whoever asks: no names of hooks or files. */
  readonly reasons: readonly string[];
}

/** What readiness is made of. */
export interface ReadinessParts {
  readonly isClosing: () => boolean;
  readonly database: Database;
  readonly edition: () => Edition;
}

/** Anybody may ask as often as they like; the database is not asked more often than this. */
const KEPT_MS = 1000;

/** Makes the function that says whether a runtime is ready: open, able to keep what it decides, required hooks live. */
export function createReadiness({
  isClosing,
  database,
  edition,
}: ReadinessParts): () => Promise<Readiness> {
  let probed: { readonly at: number; readonly answer: Promise<boolean> } | undefined;
  return async () => {
    if (isClosing()) return { ready: false, reasons: ['the runtime is closing'] };
    const now = performance.now();
    if (probed === undefined || now - probed.at > KEPT_MS) {
      probed = { at: now, answer: takesWrites(database) };
    }
    const reasons: string[] = [];
    if (!(await probed.answer)) reasons.push('the database takes no writes');
    const { config, catalog, failureOf } = edition();
    const isLive = (entry: HookEntry): boolean => failureOf(entry) === undefined;
    const live = new Set(catalog.hooks.filter(isLive).map(({ name }) => name));
    if (!config.hooks.required.every((name) => live.has(name))) {
      reasons.push('a required hook is not live');
    }
    return { ready: reasons.length === 0, reasons };
  };
}
