import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { openHost } from '../../host/host.ts';
import { openNurseries } from '../../host/nurseries.ts';
import type { HookSource } from '../../host/sandbox.ts';
import { testEntries } from './child-entries.ts';

// A host whose processes all spin in code that looks for no interrupt: argv holds their kind, how many hooks, and a folder for them. Prints
// their pids as JSON when each is in its loop, and waits to be killed.
const [, , kind = 'isolate', count = '1', folder = os.tmpdir()] = process.argv;
const CODE = `export default { run(point, payload, ctx) {
  ctx.log('spinning');
  ${kind === 'isolate' ? '[].indexOf.call({ length: 2 ** 53 - 1 }, 1)' : 'for (;;);'}
} }`;
const NO_CAP_MS = 600_000;

const entries = await testEntries();
const host = openHost({
  nurseries: openNurseries(entries),
  limits: {
    loadMs: 60_000,
    graceMs: 50,
    queueMs: 60_000,
    queueLength: 100,
    rssMb: null,
    idleMs: null,
    maxIsolates: 4,
  },
});
const names = Array.from({ length: Number(count) }, (_, at) => `spin-${at}`);
for (const name of names) {
  const file = path.join(folder, `${name}.mjs`);
  await writeFile(file, CODE);
  const source: HookSource = {
    name,
    sandbox: kind === 'isolate' ? 'isolate' : 'worker',
    owner: kind === 'isolate' ? `${name}@1.0.0` : 'local',
    contract: 'signalbox',
    config: {},
    code: CODE,
    file: kind === 'isolate' ? 'index.mjs' : file,
    memoryMb: 32,
  };
  const loaded = await host.load(source);
  if (!loaded.ok) throw new Error(`${name}: ${loaded.code} ${loaded.detail}`);
}
const ctx = { caller: {} };
for (const hook of names) {
  void host.call({
    hook,
    sessionId: 's',
    input: JSON.stringify({ point: 'preToolUse', payload: {}, ctx }),
    timeoutMs: NO_CAP_MS,
    ops: [],
    bridge: () => Promise.resolve({ ok: false, code: 'unavailable', message: '' }),
  });
}
// By now each has been given its call; none comes back from it.
await new Promise((resolve) => setTimeout(resolve, 1000));
process.stdout.write(`${JSON.stringify(host.processes().map(({ pid }) => pid))}\n`);
