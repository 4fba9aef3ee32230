import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Clocks of file systems tick coarsely: what was written this long before still counts as after. */
const SLACK_MS = 1000;
/** A folder with more entries is taken as changed. */
const MAX_ENTRIES = 2000;

/** Whether anything in a folder was written, added or removed since a time in milliseconds since 1970. Looks at no `node_modules`. */
export async function wasTouched(folder: string, since: number): Promise<boolean> {
  const waiting = [folder];
  let seen = 0;
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const facts = await stat(place).catch(() => undefined);
    // The time of the last change of its state: unlike that of its content nobody can set it back.
    if (facts === undefined || facts.ctimeMs > since - SLACK_MS) return true;
    if (!facts.isDirectory()) continue;
    const names = await readdir(place).catch(() => undefined);
    if (names === undefined || (seen += names.length) > MAX_ENTRIES) return true;
    for (const name of names) if (name !== 'node_modules') waiting.push(join(place, name));
  }
  return false;
}
