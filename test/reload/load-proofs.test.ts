import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openRuntime, type LiveRuntime } from '../../src/index.ts';
import { openTemporary } from '../runtime/temporary-runtime.ts';

const LIMITS = { loadMs: 20_000, queueMs: 20_000 };

/** A runtime of two packages that was open before, and what opens it again. */
async function opened(modules: Readonly<Record<string, string>>) {
  const first = await openTemporary(
    Object.fromEntries(
      Object.entries(modules).map(([name, module]) => [name, { module, home: name }]),
    ),
    { limits: LIMITS },
  );
  onTestFinished(() => first.remove());
  const { config } = first.runtime;
  await first.runtime.close();
  const reopen = async (hooks: object = {}, limits: object = {}): Promise<LiveRuntime> => {
    const packages = config.packages.map(({ package: name, grants }) => ({
      package: name,
      grants,
    }));
    const runtime = await openRuntime({
      config: { packages, limits: { ...LIMITS, ...limits }, hooks },
      folder: first.folder,
    });
    onTestFinished(() => runtime.close());
    return runtime;
  };
  return { reopen, proofs: join(first.folder, '.signalbox/loads.json') };
}

const ALLOW = `export default { run: () => ({ action: 'block', reason: 'seen' }) };`;
const call = { toolName: 'Bash', args: {} };

test('what has loaded once is not waited for at the next start, and decides all the same', async () => {
  const { reopen } = await opened({ one: ALLOW, two: ALLOW });
  const runtime = await reopen();
  expect(runtime.inventory().hooks.map(({ state }) => state)).toEqual(['live', 'live']);
  expect(runtime.processes()).toEqual([]);
  expect(await runtime.fire('preToolUse', call)).toMatchObject({ action: 'block', reason: 'seen' });
  // The other comes up by itself.
  await expect.poll(() => runtime.processes().length, { timeout: 40_000 }).toBe(2);
}, 90_000);

test('without its proof a hook is loaded at the start', async () => {
  const { reopen, proofs } = await opened({ one: ALLOW });
  expect(JSON.parse(await readFile(proofs, 'utf8'))).toHaveLength(1);
  await rm(proofs);
  const runtime = await reopen();
  expect(runtime.processes()).toHaveLength(1);
});

test('a hook that does not load has no proof, and is failing at every start', async () => {
  const { reopen } = await opened({ one: `throw new Error('oh')` });
  const runtime = await reopen();
  expect(runtime.inventory().hooks).toMatchObject([
    { state: 'failing', failure: { code: 'load_error' } },
  ]);
});

test('a required hook is tried at every start', async () => {
  const { reopen } = await opened({ one: ALLOW, two: ALLOW });
  const runtime = await reopen({ required: ['two'] });
  expect(runtime.processes()).toHaveLength(1);
});

test('hooks that do not come up in spite of their proofs fail by their policies at the first call, and are failing from then on', async () => {
  const module = `for (const end = Date.now() + 1000; Date.now() < end;);\n${ALLOW}`;
  const { reopen, proofs } = await opened({ loose: module, strict: module });
  expect(JSON.parse(await readFile(proofs, 'utf8'))).toHaveLength(2);
  // The same bytes, which this time do not have the time that they take.
  const failPolicy = { loose: 'open', strict: 'closed' };
  const runtime = await reopen({ failPolicy, order: ['loose', 'strict'] }, { loadMs: 300 });
  expect(await runtime.fire('preToolUse', call)).toMatchObject({
    action: 'block',
    reason: 'Hook "strict" failed (fail-closed)',
    trace: [
      { hook: 'loose', action: 'allow', code: 'load_timeout' },
      { hook: 'strict', action: 'block', code: 'load_timeout' },
    ],
  });
  const failing = { state: 'failing', failure: { code: 'load_timeout' } };
  await expect
    .poll(() => runtime.inventory().hooks, { timeout: 20_000 })
    .toMatchObject([failing, failing]);
}, 90_000);
