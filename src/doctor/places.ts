import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SignalboxError } from '../../sdk/errors.ts';
import { loadConfig } from '../config/load-config.ts';
import type { RuntimeConfig } from '../config/runtime-config.ts';
import { openDatabase } from '../sql/database.ts';
import type { Finding } from './finding.ts';

/** Reads the configuration, opens the databases that it names, and writes to the folders that a start writes to. */
export async function judgePlaces(file: string): Promise<Finding[]> {
  let config: RuntimeConfig;
  try {
    config = await loadConfig(file);
  } catch (error) {
    return [fault('configuration', error)];
  }
  const databases = [...new Set([config.store.file, config.records.file])];
  const findings = await Promise.all([
    ...databases.map((path) => tried(`database ${path}`, () => openAndClose(path))),
    judgeCache(config.cacheFolder),
    tried(`folder ${join(config.folder, '.signalbox')}`, () =>
      writeInto(join(config.folder, '.signalbox')),
    ),
  ]);
  return [fine('configuration', file), ...findings];
}

/** What is installed elsewhere, as when an image was built, is read alone by the user that serves. */
async function judgeCache(folder: string): Promise<Finding> {
  const name = `cache ${folder}`;
  const finding = await tried(name, () => writeInto(folder));
  if (finding.state === 'fine') return finding;
  return readdir(folder).then(
    () => fine(name, 'can be read; packages are installed by another user, or elsewhere'),
    () => finding,
  );
}

async function openAndClose(path: string): Promise<void> {
  await (await openDatabase(path)).close();
}

async function writeInto(folder: string): Promise<void> {
  const file = join(folder, `doctor-${process.pid}.tmp`);
  await mkdir(folder, { recursive: true });
  await writeFile(file, '');
  await rm(file);
}

async function tried(name: string, attempt: () => Promise<void>): Promise<Finding> {
  try {
    await attempt();
    return fine(name, 'can be written');
  } catch (error) {
    return fault(name, error);
  }
}

function fine(name: string, detail: string): Finding {
  return { about: 'place', name, state: 'fine', detail };
}

function fault(name: string, error: unknown): Finding {
  if (error instanceof SignalboxError) {
    const { message, hint } = error;
    return { about: 'place', name, state: 'weak', detail: message, advice: hint };
  }
  const { code } = error as NodeJS.ErrnoException;
  return { about: 'place', name, state: 'weak', detail: `cannot be written: ${code ?? 'unknown'}` };
}
