import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openRegistry, withoutNpm, type Registry } from '../install/registry.ts';
import { quantile } from './harness.ts';
import { report } from './report.ts';

// How long does it take to add a small package, next to `npm install`, and to start with twenty that are installed?
const ROUNDS = 7;
const PACKAGES = 20;
const MAIN = fileURLToPath(new URL('../../scripts/signalbox.mjs', import.meta.url));
const SIGNALBOX = ['--conditions=@signalbox/source', MAIN];
const HANDLER = 'export const run = () => ({ action: "allow" });\n';

const folder = await mkdtemp(join(tmpdir(), 'signalbox-add-'));
const registry = await openRegistry();
try {
  for (let index = 0; index < PACKAGES; index += 1) await publish(registry, `guard-${index}`);
  const npm: number[] = [];
  const add: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    // Each has a folder and an npm cache of its own, and they take turns at being first.
    const turns = [
      async () => npm.push(await timeOf('npm', ['install', 'guard-0', '--no-audit', '--no-fund'])),
      async () =>
        add.push(await timeOf(process.execPath, [...SIGNALBOX, 'add', 'guard-0', '--grant-all'])),
    ];
    for (const turn of round % 2 === 0 ? turns : turns.reverse()) await turn();
  }
  const place = await project();
  for (let index = 0; index < PACKAGES; index += 1) {
    await run(place, process.execPath, [...SIGNALBOX, 'add', `guard-${index}`, '--grant-all']);
  }
  const start: number[] = [];
  const decide: number[] = [];
  const empty: number[] = [];
  await writeFile(join(place, 'call.json'), '{"toolName": "Bash", "args": {}}');
  const all = ['test', 'preToolUse', '--payload', 'call.json', '--json'];
  for (let round = 0; round < ROUNDS; round += 1) {
    empty.push(await run(place, process.execPath, ['-e', '']));
    start.push(await run(place, process.execPath, [...SIGNALBOX, 'hooks', '--json']));
    decide.push(await run(place, process.execPath, [...SIGNALBOX, ...all]));
  }
  report([
    {
      measured: 'signalbox add of a small package from a registry on this machine',
      value: quantile(add, 0.5),
      unit: 'ms',
      baseline: 'npm install of the same',
      baselineValue: quantile(npm, 0.5),
      ratio: quantile(
        add.map((ms, round) => ms / (npm[round] ?? NaN)),
        0.5,
      ),
      goal: { of: 'ratio', most: 1.5 },
    },
    {
      measured: `start with ${PACKAGES} installed packages that have loaded before, to the list of hooks`,
      value: quantile(start, 0.5),
      unit: 'ms',
      baseline: 'node that does nothing',
      baselineValue: quantile(empty, 0.5),
      ratio: quantile(start, 0.5) / quantile(empty, 0.5),
      goal: { of: 'value', most: 1500 },
    },
    {
      measured: 'the same, until each of the hooks has run in its process',
      value: quantile(decide, 0.5),
      unit: 'ms',
      baseline: 'node that does nothing',
      baselineValue: quantile(empty, 0.5),
      ratio: quantile(decide, 0.5) / quantile(empty, 0.5),
    },
  ]);
} finally {
  await registry.close();
  await rm(folder, { recursive: true, force: true });
}

async function publish({ publish: put }: Registry, name: string): Promise<void> {
  const manifest = { name, points: ['preToolUse'], capabilities: ['reads_tool_io', 'gates_tools'] };
  await put({
    'package.json': { name, version: '1.0.0', type: 'module' },
    [`hooks/${name}/hook.json`]: manifest,
    [`hooks/${name}/index.mjs`]: HANDLER,
  });
}

/** A folder with an .npmrc and nothing in its caches. */
async function project(): Promise<string> {
  const place = await mkdtemp(join(folder, 'project-'));
  await writeFile(join(place, '.npmrc'), `${registry.npmrc}cache=${join(place, 'npm-cache')}\n`);
  await writeFile(join(place, 'package.json'), '{"name": "bench", "version": "1.0.0"}');
  await writeFile(join(place, 'runtime.json'), '{"limits": {"loadMs": 30000}}');
  return place;
}

async function timeOf(command: string, args: readonly string[]): Promise<number> {
  return run(await project(), command, args);
}

/** Runs a program to its end in a folder, and gives back how long it took. */
async function run(cwd: string, command: string, args: readonly string[]): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(command, args, { cwd, env: withoutNpm(process.env), stdio: 'ignore' });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}`);
  return performance.now() - startedAt;
}
