import { expect, test } from 'vitest';
import type { Call, CallResult, Host } from '../../host/sandbox.ts';
import { callHook, isolateHook, outcomeOf, testHost } from './hosts.ts';

const ALLOW = `export default { run: () => ({ action: 'allow' }) }`;
const PATIENT = { queueMs: 20_000, loadMs: 20_000 };
/** A busy machine may take so long over the first of a line that nothing goes ahead behind it. */
const ATTEMPTS = 200;

function callOf(hook: string, call: Partial<Call> = {}): Call {
  return {
    hook,
    sessionId: 'a',
    input: JSON.stringify({ point: 'preToolUse', payload: {}, ctx: { caller: {} } }),
    timeoutMs: 10_000,
    ops: [],
    bridge: () => Promise.resolve({ ok: false, code: 'unavailable', message: 'no bridge' }),
    ...call,
  };
}

/** A host where the hooks of one package stand loaded for session `a`. */
async function hostOf(modules: Readonly<Record<string, string>>): Promise<Host> {
  const host = await testHost(PATIENT, 2);
  for (const [name, code] of Object.entries(modules)) {
    await host.load(isolateHook(name, code, { owner: 'pack@1.0.0' }));
    await callHook(host, name, { sessionId: 'a', payload: {}, timeoutMs: 10_000 });
  }
  return host;
}

test('a run that went ahead and has written is not run again when another kills its process', async () => {
  const host = await hostOf({
    first: ALLOW,
    writer: `export default { async run(point, payload, ctx) {
      await ctx.store?.put('c', 'k', 1);
      return { action: 'allow' };
    } }`,
    stuck: `export default { run: (point, { toolName }) =>
      toolName === 'stick' ? [].indexOf.call({ length: 2 ** 53 - 1 }, 1) : { action: 'allow' } }`,
  });
  const result = await aheadOf(async () => {
    const written = Promise.withResolvers<'written'>();
    const [, ahead] = host.callInLine([
      callOf('first'),
      callOf('writer', {
        ops: ['store.put'],
        bridge: () => {
          written.resolve('written');
          return new Promise(() => undefined);
        },
      }),
    ]) as [Promise<CallResult>, Promise<CallResult | undefined>];
    if ((await Promise.race([written.promise, ahead])) !== 'written') return undefined;
    await callHook(host, 'stuck', {
      sessionId: 'a',
      payload: { toolName: 'stick' },
      timeoutMs: 200,
    });
    return { lost: await ahead };
  });
  // Without an outcome it would be run once more, by itself.
  expect(result.lost).toMatchObject({ ok: false, code: 'sandbox_lost', role: 'bystander' });
});

test('of two runs of one hook only the first is sent: they take turns in its place', async () => {
  const host = await hostOf({ twice: ALLOW, other: ALLOW });
  // A line does go ahead here, so that the second run was left out for its place alone.
  await aheadOf(async () => {
    const [, other] = host.callInLine([callOf('twice'), callOf('other')]);
    return other;
  });
  for (let at = 0; at < 20; at += 1) {
    const [first, second] = host.callInLine([callOf('twice'), callOf('twice')]);
    expect(outcomeOf(await first)).toBe('allow');
    expect(await second).toBeUndefined();
  }
});

/** What came of the first attempt in which a run went ahead. */
async function aheadOf<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let at = 0; at < ATTEMPTS; at += 1) {
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw new Error('No run went ahead, however often it was tried');
}
