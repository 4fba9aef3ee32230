import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach } from 'vitest';
import { openHost } from '../../host/host.ts';
import { openNurseries } from '../../host/nurseries.ts';
import type { Call, CallResult, HookSource, Host, HostLimits } from '../../host/sandbox.ts';
import { testEntries } from './child-entries.ts';

/** Limits of a host on a machine that is not too busy. */
export const HOST_LIMITS: HostLimits = {
  loadMs: 2000,
  graceMs: 50,
  queueMs: 1500,
  queueLength: 1000,
  rssMb: null,
  idleMs: null,
  maxIsolates: 16,
};

const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A folder that is gone after the test. */
export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'signalbox-test-'));
  ends.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A host that is closed after the test. */
export async function testHost(limits: Partial<HostLimits> = {}, spares = 1): Promise<Host> {
  const entries = await testEntries();
  const host = openHost({
    limits: { ...HOST_LIMITS, ...limits },
    nurseries: openNurseries(entries, spares),
  });
  ends.push(() => host.close());
  return host;
}

/** A hook of a package of its own, from the text of its module. */
export function isolateHook(
  name: string,
  code: string,
  extra: Partial<HookSource> = {},
): HookSource {
  return {
    name,
    sandbox: 'isolate',
    owner: `${name}@1.0.0`,
    contract: 'signalbox',
    config: {},
    code,
    file: 'index.mjs',
    memoryMb: 32,
    ...extra,
  };
}

/** A local hook, written to a file. */
export async function workerHook(name: string, code: string): Promise<HookSource> {
  const file = path.join(await tempFolder(), 'index.mjs');
  await writeFile(file, code);
  return isolateHook(name, '', { sandbox: 'worker', owner: 'local', file });
}

/** Calls a hook at preToolUse with a payload. */
export function callHook(
  host: Host,
  hook: string,
  options: Partial<Call> & { payload?: object } = {},
): Promise<CallResult> {
  const { payload = { toolName: 'echo', args: {} }, ...call } = options;
  return host.call({
    hook,
    sessionId: 's1',
    input: JSON.stringify({ point: 'preToolUse', payload, ctx: { caller: {} } }),
    timeoutMs: 500,
    ops: [],
    bridge: () => Promise.resolve({ ok: false, code: 'unavailable', message: 'no bridge' }),
    ...call,
  });
}

/** The reason of a block, or the failure's code. */
export function outcomeOf(result: CallResult): string {
  return result.ok
    ? ((JSON.parse(result.answer) as { reason?: string }).reason ?? 'allow')
    : result.code;
}
