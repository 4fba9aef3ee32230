import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CAPABILITIES } from '../../sdk/capabilities.ts';
import { openRuntime, type LiveRuntime } from '../../src/index.ts';
import { placeEntries } from '../host/child-entries.ts';

/** A folder with a runtime.json, to be changed while a runtime runs from it. The maker removes it. */
export interface Checkout {
  readonly folder: string;
  /** Path of runtime.json. */
  readonly config: string;
  /** Writes a hook of the package `packages/<home>`, or of `hooks/` for `local`; the module is a body of `run`. */
  hook(home: string, name: string, draft: HookDraft): Promise<void>;
  /** Writes runtime.json over the defaults of tests. */
  configure(settings: Readonly<Record<string, unknown>>): Promise<void>;
  write(file: string, text: string): Promise<void>;
  open(): Promise<LiveRuntime>;
  remove(): Promise<void>;
}

/** A hook of a checkout. */
export interface HookDraft {
  readonly run: string;
  readonly manifest?: Readonly<Record<string, unknown>>;
}

/** Limits that a busy machine does not meet. */
const CALM = { loadMs: 20_000, queueMs: 20_000 };

const BARE = Object.entries(CAPABILITIES)
  .filter(([name, { scope }]) => scope !== 'required' && !name.startsWith('store'))
  .map(([name]) => name);

/** The entry of a package of a checkout. */
export function packageEntry(home: string): object {
  return { package: `./packages/${home}`, grants: BARE };
}

/** Makes a checkout in a folder of its own. */
export async function createCheckout(): Promise<Checkout> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-reload-'));
  await placeEntries(folder);
  const config = join(folder, 'runtime.json');
  const runtimes: LiveRuntime[] = [];
  const write = async (file: string, text: string): Promise<void> => {
    const path = join(folder, file);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  };
  return {
    folder,
    config,
    write,
    async hook(home, name, { run, manifest }) {
      const root = home === 'local' ? '.' : `packages/${home}`;
      const whole = {
        name,
        points: ['preToolUse'],
        capabilities: BARE,
        timeoutMs: 20_000,
        ...manifest,
      };
      if (home !== 'local') {
        const facts = { name: home, version: '1.0.0', type: 'module' };
        await write(`${root}/package.json`, JSON.stringify(facts));
      }
      await write(`${root}/hooks/${name}/hook.json`, JSON.stringify(whole));
      await write(
        `${root}/hooks/${name}/index.mjs`,
        `export const createHook = (config) => ({ run: (point, payload, ctx) => ${run} });\n`,
      );
    },
    configure: (settings) => {
      const limits = { ...CALM, ...(settings['limits'] as object | undefined) };
      return write('runtime.json', JSON.stringify({ ...settings, limits }));
    },
    async open() {
      const runtime = await openRuntime({ config, log: { level: 'silent' } });
      runtimes.push(runtime);
      return runtime;
    },
    async remove() {
      for (const runtime of runtimes) await runtime.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
