import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuditReport } from '../../src/audit/audit-report.ts';
import { runAudit } from '../../src/cli/audit/audit-command.ts';
import { runAdd, type AddFlags } from '../../src/cli/packages/add-command.ts';
import type { GrantFlags } from '../../src/cli/packages/package-session.ts';
import { runCi } from '../../src/cli/packages/ci-command.ts';
import { runList } from '../../src/cli/packages/list-command.ts';
import { runOutdated } from '../../src/cli/packages/outdated-command.ts';
import { runRemove } from '../../src/cli/packages/remove-command.ts';
import type { Session } from '../../src/cli/session.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import { runUpdate } from '../../src/cli/packages/update-command.ts';
import { runWhy } from '../../src/cli/packages/why-command.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { buildCatalog } from '../../src/packages/build-catalog.ts';
import type { Catalog } from '../../src/packages/catalog.ts';
import { readLock, type LockFile } from '../../src/packages/lock/lock-file.ts';
import { makeFolder, type Tree } from '../packages/workspace.ts';

/** What a command printed, and its exit code. */
export interface Printed {
  readonly code: number;
  readonly json: readonly unknown[];
  readonly notes: string;
}

/** A folder with a runtime.json whose user installs from a registry. */
export interface Project {
  readonly folder: string;
  add(spec: string, flags?: AddFlags): Promise<Printed>;
  update(name?: string, flags?: GrantFlags): Promise<Printed>;
  remove(name: string): Promise<Printed>;
  list(): Promise<Printed>;
  outdated(): Promise<Printed>;
  why(hook: string): Promise<Printed>;
  ci(): Promise<Printed>;
  /** The exit code of an audit, and its report. */
  audit(online?: boolean): Promise<readonly [code: number, report: AuditReport]>;
  config(): Promise<string>;
  lock(): Promise<LockFile>;
  catalog(): Promise<Catalog>;
  /** Everything that a failed installation must leave as it was. */
  state(): Promise<object>;
}

/** No second try: a registry that is down is told at once. It has its time to answer, for the machine may be busy. */
const ONCE = 'fetch-retries=0\nfetch-timeout=120000\nupdate-notifier=false\n';

/** Makes a project that goes when the test ends. */
export async function makeProject(npmrc: string, files: Tree = {}): Promise<Project> {
  const folder = await makeFolder({ 'runtime.json': '{\n  "packages": []\n}\n', ...files });
  const cache = `cache=${join(folder, 'npm-cache')}\n`;
  await writeFile(join(folder, '.npmrc'), `${ONCE}${npmrc}${cache}`);
  return openProject(folder);
}

/** The project of a folder that is there. */
export function openProject(folder: string): Project {
  const file = join(folder, 'runtime.json');
  const config = (): Promise<string> => readFile(file, 'utf8');
  return {
    folder,
    add: (spec, flags = { grantAll: true }) => run(file, (session) => runAdd(session, spec, flags)),
    update: (name, flags = {}) => run(file, (session) => runUpdate(session, name, flags)),
    remove: (name) => run(file, (session) => runRemove(session, name)),
    list: () => run(file, runList),
    outdated: () => run(file, runOutdated),
    why: (hook) => run(file, (session) => runWhy(session, hook)),
    ci: () => run(file, runCi),
    async audit(online = false) {
      const flags = { unusedDays: 30, ...(online && { online }) };
      const { code, json } = await run(file, (session) => runAudit(session, flags));
      return [code, json[0] as AuditReport];
    },
    config,
    lock: () => readLock(folder),
    catalog: async () => buildCatalog(await loadConfig(file)),
    async state() {
      const lock = await readFile(join(folder, 'runtime.lock.json'), 'utf8').catch(() => '');
      const names = await readdir(folder);
      const kept = names.filter((name) => name !== 'npm-cache' && name !== 'packages-cache');
      const cached = await readdir(join(folder, 'packages-cache'), { recursive: true }).catch(
        () => [],
      );
      const files = cached.filter((path) => path.endsWith('.json')).sort();
      return { config: await config(), lock, names: kept.sort(), files };
    },
  };
}

async function run(
  config: string,
  command: (session: Session) => Promise<number>,
): Promise<Printed> {
  const json: unknown[] = [];
  const notes: string[] = [];
  const terminal: Terminal = {
    isJson: true,
    isWatched: false,
    closed: new AbortController().signal,
    line: (text) => void notes.push(text),
    json: (value) => void json.push(value),
    table: () => undefined,
    note: (text) => void notes.push(text),
    error: (error) => void notes.push(String((error as Error).message)),
    progress: () => undefined,
  };
  const code = await command({ terminal, config, signal: new AbortController().signal });
  return { code, json, notes: notes.join('\n') };
}
