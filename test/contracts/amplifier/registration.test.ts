import { afterAll, beforeAll, expect, test } from 'vitest';
import { openScenes, traceOf, type Stage } from '../scenes.ts';
import { mountOf } from './mount.ts';

/** Registers three handlers that each add their name to a list. */
const APPEND = (name: string): string =>
  `(event, data) => ({ action: 'modify', data: { ...data, calls: [...(data.calls ?? []), '${name}'] } })`;

let stage: Stage;
beforeAll(async () => {
  stage = await openScenes('amplifier', {
    'sync-and-async': {
      module: mountOf(`
        hooks.register('a:b', ${APPEND('sync')}, 0, 'sync');
        hooks.register('a:b', async (event, data) => {
          await new Promise((resolve) => setTimeout(resolve, 10));
          return (${APPEND('async')})(event, data);
        }, 0, 'async');`),
    },
    unregister: {
      module: mountOf(`
        const first = hooks.register('a:b', ${APPEND('first')}, 0, 'first');
        hooks.register('a:b', ${APPEND('second')}, 0, 'second');
        first();
        hooks.register('a:b', (event, data) => ({ action: 'modify',
          data: { ...data, listed: hooks.list_handlers('a:b') } }), 9, 'lister');`),
    },
    'unregister-in-run': {
      module: mountOf(`
        let off;
        hooks.register('a:b', (event, data) => { off?.(); return (${APPEND('first')})(event, data); }, 0, 'first');
        off = hooks.register('a:b', ${APPEND('second')}, 1, 'second');`),
    },
    names: {
      module: mountOf(`
        async function linter_hook(event, data) { return null; }
        hooks.register('a:b', linter_hook);
        hooks.register('a:b', () => null);
        hooks.register('a:b', linter_hook, { name: 'named' });
        hooks.register({ event: 'a:b', handler: linter_hook, priority: 3, name: 'by-keyword' });`),
    },
    alias: {
      module: mountOf(`
        hooks.register('a:b', ${APPEND('registered')}, 0, 'registered');
        hooks.on('a:b', ${APPEND('on')}, { priority: 0, name: 'on' });
        hooks.on('a:b', (event, data) => ({ action: 'modify',
          data: { ...data, listed: hooks.list_handlers() } }), 50, 'lister');`),
    },
    priority: {
      module: mountOf(`
        hooks.register('a:b', ${APPEND('low')}, { priority: 10, name: 'low' });
        hooks.register('a:b', ${APPEND('high')}, { priority: 5, name: 'high' });
        hooks.register('a:b', ${APPEND('approval')}, -10);
        hooks.register('a:b', ${APPEND('low-too')}, { priority: 10, name: 'low-too' });`),
    },
    listing: {
      module: mountOf(`
        const empty = hooks.list_handlers();
        hooks.register('a:b', (event, data) => ({ action: 'modify', data: {
          empty, all: hooks.list_handlers(), known: hooks.list_handlers('a:b'), unknown: hooks.list_handlers('x:y') } }), 0, 'one');
        hooks.register('c:d', () => null, 0, 'two');`),
    },
    collision: {
      module: mountOf(`
        const first = hooks.register('a:b', ${APPEND('first')}, 0, 'same');
        hooks.register('a:b', ${APPEND('second')}, 0, 'same');
        hooks.register('a:b', ${APPEND('third')}, 0, 'same');
        hooks.register('a:b', ${APPEND('named')}, 0, 'other');
        hooks.unregister('other');
        first();`),
    },
    exact: {
      module: mountOf(`
        hooks.register('a:b', ${APPEND('a:b')}, 0, 'a');
        hooks.register('a:bc', ${APPEND('a:bc')}, 0, 'abc');`),
    },
    wildcard: { module: mountOf(`hooks.register('*', () => null);`) },
    contribution: {
      module: mountOf(`
        coordinator.register_contributor('observability.events', 'mine', () => ['mine:first', 'mine:second']);
        coordinator.register_contributor('observability.events', 'broken', () => { throw new Error('no'); });
        for (const events of await coordinator.collect_contributions('observability.events'))
          for (const event of events) hooks.register(event, ${APPEND('observed')}, 0, 'observer');`),
    },
    'default-mount': {
      module: `export default { mount(coordinator, config) {
        coordinator.get('hooks').register('tool:pre', () => ({ action: 'deny', reason: config.text }), { priority: -10 });
        return () => { throw new Error('cleaned'); };
      } };`,
      points: ['preToolUse'],
      manifest: { config: { text: 'from the config' } },
    },
    constants: {
      module: mountOf(`
        const { SESSION_START, SESSION_END, PROMPT_SUBMIT, TOOL_PRE, TOOL_POST, CONTEXT_PRE_COMPACT,
          ORCHESTRATOR_COMPLETE, USER_NOTIFICATION } = hooks.constructor;
        hooks.register('a:b', () => ({ action: 'deny', reason: JSON.stringify([hooks.constructor.name,
          typeof hooks.list_handlers(), SESSION_START, SESSION_END, PROMPT_SUBMIT, TOOL_PRE, TOOL_POST,
          CONTEXT_PRE_COMPACT, ORCHESTRATOR_COMPLETE, USER_NOTIFICATION, hooks.TOOL_PRE]) }));`),
    },
    late: {
      module: mountOf(`hooks.register('a:b', () => { hooks.register('a:b', () => null); });`),
    },
    'no-mount': { module: `export const run = () => ({ action: 'allow' });` },
    'no-exports': { module: `const nothing = 1;` },
    commonjs: { module: `exports.mount = () => undefined;` },
    'no-handler': { module: mountOf('') },
    'bad-event': { module: mountOf(`hooks.register('tool_pre', () => null);`) },
    'bad-handler': { module: mountOf(`hooks.register('tool:pre', 'run');`) },
    'bad-priority': { module: mountOf(`hooks.register('tool:pre', () => null, 'first');`) },
    'bad-name': { module: mountOf(`hooks.register('a:b', () => null, 0, '../up');`) },
    'unbound-event': {
      module: mountOf(`hooks.register('tool:post', () => null, 0, 'watcher');`),
      points: ['preToolUse'],
    },
    'unknown-event': {
      module: mountOf(`hooks.register('tool:prre', () => null, 0, 'typo');`),
      points: ['preToolUse'],
    },
    crowd: {
      module: mountOf(`for (let i = 0; i < 200; i += 1) hooks.register('a:b', () => null, i);`),
    },
  });
}, 120_000);
afterAll(() => stage.remove());

test('[AP1] a handler takes (event, data), sync or async', async () => {
  const { payload } = await stage.event('sync-and-async', 'a:b');
  expect(payload.data['calls']).toEqual(['sync', 'async']);
});

test('[AP2] register returns what removes the handler again', async () => {
  const { payload } = await stage.event('unregister', 'a:b');
  expect(payload.data).toMatchObject({
    calls: ['second'],
    listed: { 'a:b': ['second', 'lister'] },
  });
});

test('[AP3] a handler without a name is called after its function, or by a number', async () => {
  const verdict = await stage.event('names', 'a:b');
  expect(traceOf(verdict)).toEqual([
    'names/linter_hook allow',
    'names/handler-2 allow',
    'names/named allow',
    'names/by-keyword allow',
  ]);
});

test('[AP4] on is another word for register', async () => {
  const { payload } = await stage.event('alias', 'a:b');
  expect(payload.data).toMatchObject({
    calls: ['registered', 'on'],
    listed: { 'a:b': ['registered', 'on', 'lister'] },
  });
});

test('[AP5] [AP65] lower priorities run first, negative ones before all, and ties keep their order', async () => {
  const { payload } = await stage.event('priority', 'a:b');
  expect(payload.data['calls']).toEqual(['approval', 'high', 'low', 'low-too']);
});

test('[AP6] handlers run one after the other, each an entry of the chain with its own name', async () => {
  const verdict = await stage.event('sync-and-async', 'a:b');
  expect(traceOf(verdict)).toEqual(['sync-and-async/sync modify', 'sync-and-async/async modify']);
});

test('[AP31] list_handlers gives events with names, and a filter that one key alone', async () => {
  const { payload } = await stage.event('listing', 'a:b');
  expect(payload.data).toEqual({
    empty: {},
    all: { 'a:b': ['one'], 'c:d': ['two'] },
    known: { 'a:b': ['one'] },
    unknown: { 'x:y': [] },
  });
});

test('[AP32] two handlers of one name are both there, and each can be removed', async () => {
  const verdict = await stage.event('collision', 'a:b');
  expect(verdict.payload.data['calls']).toEqual(['second', 'third']);
  expect(traceOf(verdict)).toEqual(['collision/same-2 modify', 'collision/same-3 modify']);
});

test('[AP33] a handler that is removed during an event still has that event, and none after it', async () => {
  const first = await stage.event('unregister-in-run', 'a:b');
  expect(first.payload.data['calls']).toEqual(['first', 'second']);
  const second = await stage.event('unregister-in-run', 'a:b');
  expect(second.payload.data['calls']).toEqual(['first']);
});

test('[AP34] a handler hears its exact event alone, and a wildcard is refused at load', async () => {
  const { payload } = await stage.event('exact', 'a:b');
  expect(payload.data['calls']).toEqual(['a:b']);
  expect(stage.failureOf('wildcard')).toMatchObject({
    code: 'load_error',
    detail: expect.stringContaining('"*" is no event: a name is "namespace:action"') as string,
  });
});

test('[AP63] custom events are contributed at observability.events and can be heard', async () => {
  const { payload } = await stage.event('contribution', 'mine:second');
  expect(payload.data['calls']).toEqual(['observed']);
});

test('[AP64] mount gets the coordinator and the config, and its cleanup is no handler', async () => {
  const verdict = await stage.fire('default-mount', 'preToolUse', { toolName: 'a', args: {} });
  expect(verdict).toMatchObject({ action: 'block', reason: 'from the config' });
  expect(verdict.trace).toHaveLength(1);
});

test('the registry has its class name and its eight constants', async () => {
  const { reason } = await stage.event('constants', 'a:b');
  expect(JSON.parse(reason ?? '')).toEqual([
    'HookRegistry',
    'object',
    'session:start',
    'session:end',
    'prompt:submit',
    'tool:pre',
    'tool:post',
    'context:pre_compact',
    'orchestrator:complete',
    'user:notification',
    'tool:pre',
  ]);
});

test('a handler that registers another while it runs fails and says when handlers are registered', async () => {
  const verdict = await stage.event('late', 'a:b');
  expect(verdict).toMatchObject({ action: 'block', code: 'thrown' });
});

test.each([
  ['no-mount', 'the module exports no function mount(coordinator, config)'],
  ['no-exports', 'the module exports no function mount(coordinator, config)'],
  ['commonjs', 'is CommonJS: a hook is an ES module'],
  ['no-handler', 'mount registered no handler: coordinator.hooks.register(event, handler,'],
  ['bad-event', '"tool_pre" is no event: a name is "namespace:action"'],
  ['bad-handler', 'The handler of "tool:pre" is not a function (event, data)'],
  ['bad-priority', 'The priority of the handler of "tool:pre" is no number'],
  ['bad-name', 'The name of the handler of "a:b" must be a plain word'],
  [
    'unbound-event',
    'it registers "watcher" for "tool:post", which needs "postToolUse" in the points of hook.json',
  ],
  [
    'unknown-event',
    'it registers "typo" for "tool:prre", which needs "event" in the points of hook.json',
  ],
  ['crowd', 'there are more than 128'],
])('a module with a fault, %s, is told in the words of its contract', (scene, detail) => {
  const failure = stage.failureOf(scene);
  expect(failure?.code).toBe('load_error');
  expect(failure?.detail).toContain(detail);
});
