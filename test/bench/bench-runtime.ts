import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { openRuntime, type LiveRuntime } from '../../src/index.ts';

/** A hook of a bench: the text of its module, the package that it stands in, and the points that it is bound to. */
export interface BenchHook {
  readonly name: string;
  readonly module?: string;
  /** Its own name, if absent. */
  readonly home?: string;
  readonly points?: readonly string[];
  readonly when?: object;
  readonly contract?: string;
  readonly timeoutMs?: number;
}

/** A folder with packages to open runtimes in. The maker removes it. */
export interface BenchFolder {
  readonly folder: string;
  /** What stands in its runtime.json. */
  readonly config: object;
  open(limits?: object): Promise<LiveRuntime>;
  remove(): Promise<void>;
}

/** Looks at what it is given and lets it pass, as guards do most of the time. */
export const LOOK = `export const run = (point, payload) =>
  String(payload.args?.command ?? '').includes('mkfs') ? { action: 'block', reason: 'no' } : { action: 'allow' };
`;

/** A loaded machine must not turn a measurement into a failure. */
const CALM = { loadMs: 20_000, queueMs: 20_000 };

const CAPABILITIES = [
  'reads_input',
  'reads_tool_io',
  'gates_tools',
  'reads_output',
  'reads_context',
];

/** Writes packages to a folder of their own. */
export async function writeFolder(hooks: readonly BenchHook[]): Promise<BenchFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-bench-'));
  // Children have user ids of their own and read their entry from here.
  await chmod(folder, 0o755);
  const homes = [...new Set(hooks.map(({ name, home }) => home ?? name))];
  for (const home of homes) {
    const root = join(folder, 'packages', home);
    await mkdir(root, { recursive: true });
    const manifest = { name: home, version: '1.0.0', type: 'module' };
    await writeFile(join(root, 'package.json'), JSON.stringify(manifest));
  }
  for (const hook of hooks) {
    const { name, home, module = LOOK, points = ['preToolUse'], when, contract, timeoutMs } = hook;
    const place = join(folder, 'packages', home ?? name, 'hooks', name);
    await mkdir(place, { recursive: true });
    const manifest = {
      name,
      points,
      capabilities: CAPABILITIES,
      when,
      contract,
      timeoutMs: timeoutMs ?? 10_000,
    };
    await writeFile(join(place, 'hook.json'), JSON.stringify(manifest));
    await writeFile(join(place, 'index.mjs'), module);
  }
  const packages = homes.map((home) => ({ package: `./packages/${home}`, grants: CAPABILITIES }));
  const config = { packages, limits: CALM };
  return {
    folder,
    config,
    open: (limits = {}) =>
      openRuntime({
        config: { ...config, limits: { ...CALM, ...limits } },
        folder,
        log: { destination: new PassThrough().resume() },
      }),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** A tool call of 0.6 KB. */
export const CALL = {
  toolName: 'shell',
  toolCallId: 'call-000001',
  args: {
    command: 'git log --oneline --decorate --since=2026-01-01 -- src host sdk | head -40',
    cwd: '/srv/checkouts/signalbox',
    note: 'x'.repeat(320),
    limits: { seconds: 30, lines: 400, bytes: 65_536 },
    tags: ['read', 'history', 'reporting'],
  },
};
