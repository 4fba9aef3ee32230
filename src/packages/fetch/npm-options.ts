import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Options } from './pacote.ts';

/** How packages are fetched in one command: the user's npm configuration, and metadata that is read once. */
export type NpmOptions = Options;

/**
 * Reads the npm configuration that `npm install` would have in a folder: registries, scopes, tokens, proxies, certificates,
 * cache, from every .npmrc and the environment. Scripts of packages never run, whatever it says.
 */
export async function loadNpmOptions(folder: string): Promise<NpmOptions> {
  const [{ default: Config }, { default: tables }] = await Promise.all([
    import('@npmcli/config'),
    import('@npmcli/config/lib/definitions/index.js'),
  ]);
  // No npm is installed with us, so there is no npmrc of its own and no argument of its command line.
  // It writes what it read into the environment that it is given, for scripts that npm would run.
  const npm = new Config({
    ...tables,
    npmPath: join(folder, '.npm-is-not-here'),
    argv: ['', ''],
    env: { ...process.env },
    cwd: folder,
  });
  await npm.load();
  const ours = {
    where: folder,
    ignoreScripts: true,
    packumentCache: new Map(),
    Arborist: LonePackage,
  };
  return { ...npm.flat, ...ours };
}

/** What pacote asks of npm's tree when it packs the clone of a git repository: nothing of it is installed. */
class LonePackage {
  readonly path: string;

  constructor({ path }: { readonly path: string }) {
    this.path = path;
  }

  async loadActual(): Promise<object> {
    const text = await readFile(join(this.path, 'package.json'), 'utf8');
    const manifest: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    return { path: this.path, package: manifest, isProjectRoot: true, edgesOut: new Map() };
  }
}
