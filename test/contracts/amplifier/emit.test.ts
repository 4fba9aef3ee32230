import { afterAll, beforeAll, expect, test } from 'vitest';
import { openScenes, type Scene, type Stage } from '../scenes.ts';
import { mountOf } from './mount.ts';

/** A handler of `prompt:submit` that emits and denies with what came of it, so that a test can read it. */
const EMITTING = (body: string): string => `
  hooks.register('prompt:submit', async (event, data) => {
    const said = await (async () => { ${body} })().catch((error) => ({ error: error.message }));
    return { action: 'deny', reason: JSON.stringify(said) };
  }, 0, 'asker');`;

/** The seeds of a combination, each registered at \`in:side\`. */
const SIDE = (...handlers: readonly string[]): string =>
  handlers
    .map((handler, index) => `hooks.register('in:side', ${handler}, ${index}, 'h${index}');`)
    .join('\n');

/** All scenes at both points. */
function emitting(scenes: Readonly<Record<string, Scene>>): Record<string, Scene> {
  return Object.fromEntries(
    Object.entries(scenes).map(([name, scene]) => [
      name,
      { ...scene, points: ['event', 'preInput'] },
    ]),
  );
}

let stage: Stage;
beforeAll(async () => {
  stage = await openScenes(
    'amplifier',
    emitting({
      'no-handlers': {
        module: mountOf(EMITTING(`return hooks.emit('in:side', { data: 'value' });`)),
      },
      stamped: {
        module: mountOf(
          SIDE(`(event, data) => null`) +
            EMITTING(`
            const first = await hooks.emit('in:side', { timestamp: 'user-provided' });
            await new Promise((resolve) => setTimeout(resolve, 2));
            const second = await hooks.emit('in:side', {});
            return [first.data.timestamp, second.data.timestamp];`),
        ),
      },
      'saw-stamp': {
        module: mountOf(
          `hooks.register('a:b', (event, data) => ({ action: 'deny', reason: JSON.stringify(data) }));`,
        ),
      },
      modified: {
        module: mountOf(
          SIDE(
            `(event, data) => ({ action: 'modify', data: { ...data, calls: ['one'] } })`,
            `() => { throw new Error('RuntimeError'); }`,
            `(event, data) => ({ action: 'modify', data: { ...data, calls: [...data.calls, 'two'] } })`,
          ) +
            EMITTING(`const { action, data } = await hooks.emit('in:side', { original: true });
          return { action, data: { ...data, timestamp: undefined } };`),
        ),
      },
      'ask-inject': {
        module: mountOf(
          SIDE(
            `() => ({ action: 'ask_user', approval_prompt: 'Sure?', approval_default: 'allow' })`,
            `() => ({ action: 'inject_context', context_injection: 'text' })`,
          ) +
            EMITTING(`const { action, approval_prompt, approval_default } = await hooks.emit('in:side');
          return { action, approval_prompt, approval_default };`),
        ),
      },
      'two-injections': {
        module: mountOf(
          SIDE(
            `() => ({ action: 'inject_context', context_injection: 'one', context_injection_role: 'user' })`,
            `() => ({ action: 'inject_context', context_injection: 'two', append_to_last_tool_result: true, ephemeral: true })`,
          ) +
            EMITTING(`const r = await hooks.emit('in:side');
          return [r.action, r.context_injection, r.context_injection_role, r.ephemeral, r.append_to_last_tool_result];`),
        ),
      },
      denied: {
        module: mountOf(
          SIDE(
            `() => ({ action: 'deny', reason: 'Test denial' })`,
            `() => { coordinator.config.ran?.push(1); throw new Error('ran'); }`,
          ) +
            EMITTING(
              `const { action, reason, data } = await hooks.emit('in:side', { a: 1 }); return { action, reason, data };`,
            ),
        ),
      },
      collecting: {
        module: mountOf(
          SIDE(
            `() => ({ action: 'deny', data: { key: 'value', count: 42 } })`,
            `() => { throw new Error('RuntimeError'); }`,
            `() => new Promise(() => undefined)`,
            `async (event, data) => ({ data: { seen: data } })`,
            `() => null`,
          ) +
            `hooks.set_default_fields({ session_id: 's' });` +
            EMITTING(`return [await hooks.emit_and_collect('in:side', { own: 1 }, 0.05),
            await hooks.emit_and_collect('no:body', {}, { timeout: 2 })];`),
        ),
      },
      defaults: {
        module: mountOf(`
        hooks.set_default_fields({ gone: true });
        hooks.set_default_fields({ session_id: 'standard', env: null });
        hooks.register('a:b', (event, data) => ({ action: 'deny', reason: JSON.stringify(data) }));`),
      },
      'odd-values': {
        module: mountOf(
          SIDE(`(event, data) => ({ action: 'modify', data: { ...data, made: 2n } })`) +
            EMITTING(`const { data } = await hooks.emit('in:side', { big: 123n, at: new Date(0), fn() {} });
            return { ...data, timestamp: undefined };`),
        ),
      },
      'odd-answer': {
        module: mountOf(
          `hooks.register('a:b', (event, data) => ({ action: 'modify', data: { ...data, big: 5n } }));`,
        ),
      },
      'own-events': { module: mountOf(EMITTING(`return hooks.emit('tool:pre', {});`)) },
      'no-event': { module: mountOf(EMITTING(`return hooks.emit('nothing', {});`)) },
      nested: {
        module: mountOf(
          SIDE(
            `async () => { await hooks.emit('in:deeper', {}); }`,
            `() => ({ action: 'deny', reason: 'second' })`,
          ) + EMITTING(`const { reason } = await hooks.emit('in:side', {}); return reason;`),
        ),
      },
      ungranted: {
        module: mountOf(EMITTING(`return hooks.emit('in:side', {});`)),
        manifest: { capabilities: ['gates_input'] },
      },
      heard: {
        module: mountOf(
          SIDE(
            `async (event, data, ctx) => { await ctx.store.put('heard', 'own', { by: 'own', data }); }`,
          ) + EMITTING(`return hooks.emit('in:side', { n: 1 });`),
        ),
        manifest: {
          capabilities: [
            'reads_input',
            'gates_input',
            'reads_context',
            'gates_context',
            'emits:events',
          ],
        },
      },
      listener: {
        module: mountOf(`hooks.register('in:side', async (event, { n }, ctx) => {
        await ctx.store.put('heard', 'listener', { by: 'listener', data: { n } }); });`),
        manifest: {
          capabilities: ['reads_context', 'gates_context', 'store:write'],
          when: { sessions: ['heard'] },
        },
      },
      snapshot: {
        module: mountOf(`
        const off = [];
        hooks.register('in:side', (event, data) => { off[0](); return { action: 'modify', data: { n: (data.n ?? 0) + 1 } }; }, 0, 'a');
        off.push(hooks.register('in:side', (event, data) => ({ action: 'modify', data: { n: (data.n ?? 0) + 10 } }), 1, 'b'));
        ${EMITTING(`return [(await hooks.emit('in:side')).data.n, (await hooks.emit('in:side')).data.n];`)}`),
      },
    }),
  );
}, 120_000);
afterAll(() => stage.remove());

/** What the emitter of a scene came to. */
async function said(scene: string): Promise<unknown> {
  const { reason } = await stage.fire(scene, 'preInput', { text: 'go' });
  return JSON.parse(reason ?? 'null') as unknown;
}

test('[AP24] emit without handlers continues with the data as it is, unstamped', async () => {
  expect(await said('no-handlers')).toMatchObject({ action: 'continue', data: { data: 'value' } });
  const verdict = await stage.event('no-handlers', 'nobody:hears', { data: 'value' });
  expect(verdict).toMatchObject({ action: 'allow', payload: { data: { data: 'value' } } });
});

test('[AP25] every event is stamped in UTC, whatever the caller says', async () => {
  const { reason } = await stage.event('saw-stamp', 'a:b', { timestamp: 'user-provided' });
  const { timestamp } = JSON.parse(reason ?? '') as { timestamp: string };
  expect(timestamp).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+\+00:00$/);
  expect(Math.abs(Date.now() - Date.parse(timestamp))).toBeLessThan(60_000);
});

test('emit stamps as well, and time does not run backwards', async () => {
  const [first, second] = (await said('stamped')) as string[];
  expect(first).toMatch(/\+00:00$/);
  expect(Date.parse(first ?? '')).toBeLessThanOrEqual(Date.parse(second ?? ''));
});

test('[AP17] [AP19] emit chains changes past a handler that throws and continues with them', async () => {
  expect(await said('modified')).toEqual({
    action: 'continue',
    data: { original: true, calls: ['one', 'two'] },
  });
});

test('[AP8] emit gives the first ask_user over an injection', async () => {
  expect(await said('ask-inject')).toEqual({
    action: 'ask_user',
    approval_prompt: 'Sure?',
    approval_default: 'allow',
  });
});

test('[AP12] [AP13] emit merges injections a blank line apart, with the role of the first and either flag', async () => {
  expect(await said('two-injections')).toEqual([
    'inject_context',
    'one\n\ntwo',
    'user',
    true,
    true,
  ]);
});

test('[AP9] emit ends at a denial and gives it as it is', async () => {
  expect(await said('denied')).toEqual({ action: 'deny', reason: 'Test denial', data: null });
});

test('[AP27] [AP28] emit_and_collect asks every handler, ignores actions, errors and what takes too long, and adds nothing to the data', async () => {
  expect(await said('collecting')).toEqual([
    [{ key: 'value', count: 42 }, { seen: { own: 1 } }],
    [],
  ]);
});

test('[AP30] default fields are replaced as a whole, and the event wins over them', async () => {
  const plain = await stage.event('defaults', 'a:b', {});
  expect(JSON.parse(plain.reason ?? '')).toMatchObject({ session_id: 'standard', env: null });
  const own = await stage.event('defaults', 'a:b', { session_id: 'own', more: 1 });
  const seen = JSON.parse(own.reason ?? '') as object;
  expect(seen).toMatchObject({ session_id: 'own', env: null, more: 1 });
  expect(seen).not.toHaveProperty('gone');
});

test('[AP60] values that JSON has no word for become text and nothing crashes', async () => {
  expect(await said('odd-values')).toEqual({
    big: '123',
    at: '1970-01-01T00:00:00.000Z',
    fn: '(function)',
    made: '2',
  });
  const { payload } = await stage.event('odd-answer', 'a:b');
  expect(payload.data).toEqual({ big: '5' });
});

test('[AP33] emit takes its handlers as they are at its start', async () => {
  expect(await said('snapshot')).toEqual([11, 1]);
});

test.each([
  ['own-events', `"tool:pre" is the loop's own event: a hook emits custom ones`],
  ['no-event', '"nothing" is no event: a name is "namespace:action"'],
  ['ungranted', '"emits:events" is not granted'],
])('emit from a sandbox is refused: %s', async (scene, error) => {
  expect(await said(scene)).toEqual({ error });
});

test('emit reaches one level deep: the handler that emits in turn fails, and the next one runs', async () => {
  expect(await said('nested')).toBe('second');
});

test('other hooks hear what a hook emits, and its own handlers hear it once', async () => {
  await said('heard');
  await expect
    .poll(async () => stage.runtime.store.query('heard', {}), { timeout: 20_000 })
    .toEqual([{ by: 'listener', data: { n: 1 } }]);
});
