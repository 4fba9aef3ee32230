import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { CAPABILITIES } from '../../sdk/capabilities.ts';
import { openRuntime, type LiveRuntime } from '../../src/index.ts';
import { placeEntries } from '../host/child-entries.ts';

/** A hook of a test. */
export interface HookDraft {
  /** Its module; or the body of `run(point, payload, ctx)` after `=>`. */
  readonly module?: string;
  readonly run?: string;
  /** Runs only for calls of this session, so that many hooks share one runtime. */
  readonly scene?: string;
  /** Package it stands in; `plain`, if absent. `local` is the folder hooks/. */
  readonly home?: string;
  /** Over the defaults: at preToolUse, with every capability that has no scope. */
  readonly manifest?: Readonly<Record<string, unknown>>;
}

/** A runtime of a test with what it logged. The maker calls `remove`. */
export interface TemporaryRuntime {
  readonly runtime: LiveRuntime;
  readonly folder: string;
  /** Lines of the log so far, as objects. */
  readonly logged: () => readonly Readonly<Record<string, unknown>>[];
  /** Closes the runtime and removes its folder. */
  readonly remove: () => Promise<void>;
}

/** Parts of a runtime.json. */
export interface TemporaryConfig {
  readonly packages?: readonly object[];
  /** Homes of hooks whose entries are partial. */
  readonly partial?: readonly string[];
  readonly limits?: object;
  readonly hooks?: object;
  readonly store?: object;
  readonly records?: object;
  readonly agents?: object;
  readonly fetch?: object;
  readonly secrets?: object;
  readonly trust?: object;
  readonly approvals?: object;
  readonly telemetry?: object;
}

/** Limits that a busy machine does not meet; a test that is about one sets it. */
const CALM = { loadMs: 20_000, queueMs: 20_000 };

const BARE = Object.entries(CAPABILITIES)
  .filter(([name, { scope }]) => scope !== 'required' && !name.startsWith('store'))
  .map(([name]) => name);

/** Opens a runtime in a folder of its own, with real hooks in real sandboxes. */
export async function openTemporary(
  hooks: Readonly<Record<string, HookDraft>>,
  { partial = [], ...config }: TemporaryConfig = {},
): Promise<TemporaryRuntime> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-runtime-'));
  const [packages] = await Promise.all([writeHooks(folder, hooks, partial), placeEntries(folder)]);
  const lines: string[] = [];
  const destination = new PassThrough();
  destination.on('data', (chunk: Buffer) => void lines.push(chunk.toString()));
  try {
    const runtime = await openRuntime({
      config: {
        ...config,
        limits: { ...CALM, ...config.limits },
        packages: [...packages, ...(config.packages ?? [])],
      },
      folder,
      log: { destination },
    });
    return {
      runtime,
      folder,
      logged: () =>
        lines
          .join('')
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as Record<string, unknown>),
      async remove() {
        await runtime.close();
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/** Writes the hooks and gives back the entries of their packages. */
async function writeHooks(
  folder: string,
  hooks: Readonly<Record<string, HookDraft>>,
  partial: readonly string[],
): Promise<object[]> {
  const grants = new Map<string, Set<string>>();
  for (const [name, draft] of Object.entries(hooks)) {
    const { home = 'plain', scene, run = '({ action: "allow" })' } = draft;
    const manifest = {
      name,
      points: ['preToolUse'],
      capabilities: BARE,
      timeoutMs: 10_000,
      ...(scene !== undefined && { when: { sessions: [scene] } }),
      ...draft.manifest,
    };
    const root = home === 'local' ? folder : join(folder, 'packages', home);
    const place = join(root, 'hooks', name);
    await writeText(join(place, 'hook.json'), JSON.stringify(manifest));
    await writeText(
      join(place, 'index.mjs'),
      draft.module ??
        `export const createHook = (config) => ({ run: (point, payload, ctx) => ${run} });\n`,
    );
    if (home === 'local') continue;
    await writeText(
      join(root, 'package.json'),
      JSON.stringify({ name: home, version: '1.0.0', type: 'module' }),
    );
    const held = grants.get(home) ?? new Set<string>();
    grants.set(home, held);
    for (const capability of manifest.capabilities as readonly string[]) held.add(capability);
  }
  return [...grants].map(([home, held]) => ({
    package: `./packages/${home}`,
    grants: [...held],
    partial: partial.includes(home),
  }));
}

async function writeText(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}
