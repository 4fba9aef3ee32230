import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LiveRuntime } from '../../src/index.ts';
import { openServer, type Server } from '../../src/server/server.ts';
import { openTemporary, type TemporaryRuntime } from '../runtime/temporary-runtime.ts';

let temporary: TemporaryRuntime;
let runtime: LiveRuntime;
let server: Server;

const TEN = Array.from({ length: 10 }, (_, at) => `link-${at}`);

beforeAll(async () => {
  temporary = await openTemporary({
    'no-grep': {
      scene: 'G03',
      run: `payload.toolName === 'grep'
        ? ({ action: 'block', reason: [payload.isDelegated, payload.parentToolCallId].join(' ') })
        : ({ action: 'allow' })`,
    },
    blocker: { scene: 'G04', run: '({ action: "block", reason: "never" })' },
    ...Object.fromEntries(
      TEN.map((name, at) => [
        name,
        {
          scene: 'G09',
          home: name,
          run: '({ action: "modify", payload: { args: { seen: [...(payload.args.seen ?? []), ctx.hook] } } })',
          manifest: { priority: at },
        },
      ]),
    ),
  });
  ({ runtime } = temporary);
  server = await openServer(runtime, {
    host: '127.0.0.1',
    port: 0,
    token: undefined,
    payloadBytes: null,
    version: '0.0.0',
    drainMs: 1000,
    onFault: () => undefined,
  });
}, 60_000);

afterAll(async () => {
  await server.close();
  await temporary.remove();
});

test('[G03] a call of a sub-agent or of another tool reaches the hook, with who made it', async () => {
  const delegated = await runtime.fire(
    'preToolUse',
    { toolName: 'grep', args: {}, isDelegated: true, parentToolCallId: 'call_7' },
    { sessionId: 'G03', agent: { id: 'child', parent: 'main', depth: 1 } },
  );
  expect(delegated).toMatchObject({ action: 'block', reason: 'true call_7' });
});

test('[G04] a tool runs on no way in when its hook blocks', async () => {
  let ran = 0;
  const payload = { toolName: 'x', args: {} };
  const guarded = async (decide: () => Promise<string>): Promise<void> => {
    if ((await decide()) === 'allow') ran += 1;
  };
  await guarded(
    async () => (await runtime.fire('preToolUse', payload, { sessionId: 'G04' })).action,
  );
  await guarded(async () => {
    const answer = await fetch(`${server.url}/v1/points/preToolUse`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ payload, context: { sessionId: 'G04' } }),
    });
    return answer.ok ? ((await answer.json()) as { action: string }).action : 'undecided';
  });
  expect(ran).toBe(0);
});

test('[G09] a chain of ten isolated packages decides, each link seeing what the one before left', async () => {
  const verdict = await runtime.fire('preToolUse', { toolName: 'x' }, { sessionId: 'G09' });
  expect(verdict.action).toBe('modify');
  expect(verdict.payload.args).toEqual({ seen: TEN });
});
