import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { LiveRuntime } from '../../src/live-runtime.ts';
import { openRuntime } from '../../src/open-runtime.ts';
import { placeEntries } from '../host/child-entries.ts';
import type { Program } from './corpus.ts';

/** The policies that every program runs under. */
export type Policy = 'closed' | 'open';

/** A runtime that holds some programs, a well-behaved package and a store with a secret in it. */
export interface Stage {
  readonly runtime: LiveRuntime;
  close(): Promise<void>;
}

const CAPABILITIES = ['store:read:profile', 'reads_tool_io', 'gates_tools'];

/** What the host has and no program may see. */
export const CANARY = 'HOST-CANARY-51d2';

/** Answers by way of everything a hook may use: a regular expression, a line, a row, a reason. */
const SIBLING = `export const createHook = () => ({
  async run(point, payload, ctx) {
    const found = /(SIBLING-[A-Z]+)/.exec('SIBLING-SECRET x');
    ctx.log('sibling ' + found[1]);
    const row = await ctx.store.get('profile', 'u1');
    return { action: 'block', reason: 'SIBLING-OK ' + row.role };
  },
});
`;

/** The sessions that a program is driven in. */
export function sessionsOf(name: string): readonly [string, string] {
  return [`${name} a`, `${name} b`];
}

/** Opens a stage; its maker closes it. */
export async function openStage(programs: readonly Program[], policy: Policy): Promise<Stage> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'signalbox-hostile-'));
  const packages = [
    ...programs.map((program) => ({
      name: program.name,
      source: program.source,
      capabilities: program.drive.capabilities ?? CAPABILITIES,
      failPolicy: policy,
    })),
    { name: 'sibling', source: SIBLING, capabilities: CAPABILITIES, failPolicy: 'closed' as const },
  ];
  for (const { name, source, capabilities, failPolicy } of packages) {
    const hook = path.join(folder, 'packages', name, 'hooks', name);
    await mkdir(hook, { recursive: true });
    await writeFile(
      path.join(folder, 'packages', name, 'package.json'),
      JSON.stringify({ name, version: '1.0.0' }),
    );
    const manifest = {
      name,
      points: ['preToolUse'],
      capabilities,
      failPolicy,
      // Each stands in the chain of its own sessions alone.
      when: { sessions: sessionsOf(name) },
      config: { limit: 3, word: 'quote' },
    };
    await writeFile(path.join(hook, 'hook.json'), JSON.stringify(manifest));
    await writeFile(path.join(hook, 'index.mjs'), source);
  }
  await placeEntries(folder);
  const limit = { timeoutMs: 500, memoryMb: 32 };
  const runtime = await openRuntime({
    folder,
    config: {
      packages: packages.map(({ name, capabilities }) => ({
        package: `./packages/${name}`,
        grants: capabilities,
      })),
      hooks: { overrides: Object.fromEntries(packages.map(({ name }) => [name, limit])) },
      limits: { loadMs: 500 },
      store: { file: path.join(folder, 'store.db') },
      records: { file: path.join(folder, 'records.db') },
    },
    log: { level: 'silent' },
  });
  await runtime.store.put('profile', 'u1', { name: 'Ada', role: 'clerk' });
  await runtime.store.put('secrets', 'k', 'SECRET-STORE-9a1');
  return {
    runtime,
    async close() {
      await runtime.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
