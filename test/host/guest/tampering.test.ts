import { afterAll, beforeAll, expect, test } from 'vitest';
import { openProbe, type Probe } from './probe.ts';

let probe: Probe;
beforeAll(async () => {
  probe = await openProbe();
});
afterAll(() => probe.close());

/** Each lets code of a hook run, or changes what it sees, wherever trusted code trusts its realm. */
const TAMPERINGS: Readonly<Record<string, string>> = {
  'setters and getters on Object.prototype': `
    const keys = ['value', 'writable', 'configurable', 'enumerable', 'get', 'set', 'then', 'callback', 'args', 'isRepeating',
      'text', 'left', 'depth', 'outer', 'clone', 'show', 'name', 'message', 'cause', 'log', 'fireTimer', '0', '1', 'type'];
    for (let index = 0; index < keys.length; index += 1) {
      const key = keys[index];
      define(Object.prototype, key, { get() { note('get ' + key); }, set() { note('set ' + key); }, configurable: true });
    }`,
  'plain values on Object.prototype': `
    const keys = ['get', 'set', 'value', 'writable', 'once', 'signal', 'Date', 'Map', 'name', 'message', 'cause'];
    for (let index = 0; index < keys.length; index += 1) {
      const key = keys[index];
      define(Object.prototype, key, { value: () => note(key), configurable: true, writable: true });
    }`,
  'replaced methods of every built-in': `
    const owners = [Array, String, Number, Boolean, BigInt, Symbol, RegExp, Date, Map, Set, WeakMap, WeakSet, Error, Function,
      Uint8Array, ArrayBuffer].map((made) => made.prototype).concat(
      Object.getPrototypeOf(Uint8Array.prototype), Object.getPrototypeOf([][Symbol.iterator]()),
      Object.getPrototypeOf(new Map().entries()), Object.getPrototypeOf(new Set().values()));
    const found = owners.flatMap((owner) => Reflect.ownKeys(owner).map((key) => [owner, key, Object.getOwnPropertyDescriptor(owner, key)]))
      .filter(([, key, was]) => was.configurable && key !== 'constructor');
    for (let index = 0; index < found.length; index += 1) {
      const item = found[index], was = item[2];
      const trap = () => note(toText(item[1]));
      if (typeof was.value === 'function') define(item[0], item[1], { value: trap });
      else if (was.get) define(item[0], item[1], { get: trap });
    }`,
  'replaced statics and globals': `
    const found = [Reflect, Object, Array, String, Number, Math, Date, Symbol, Promise, JSON, ArrayBuffer]
      .flatMap((owner) => Reflect.ownKeys(owner).map((key) => [owner, key, Object.getOwnPropertyDescriptor(owner, key)]))
      .filter(([, , was]) => typeof was.value === 'function' && was.configurable);
    const names = ['Map', 'Set', 'WeakMap', 'Date', 'String', 'Number', 'Array', 'Error', 'TypeError', 'Reflect', 'Math', 'JSON',
      'DOMException', 'Event', 'EventTarget', 'Object', 'Uint8Array', 'Promise', 'Symbol'];
    for (let index = 0; index < found.length; index += 1) {
      const item = found[index];
      define(item[0], item[1], { value: () => note(toText(item[1])) });
    }
    for (let index = 0; index < names.length; index += 1) {
      const name = names[index];
      define(globalThis, name, { value: class { constructor() { note(name); } } });
    }`,
  'a deleted Promise': `
    define(Promise.prototype, 'then', { value() { note('then'); } });
    define(Promise.prototype, 'constructor', { value: class { constructor() { note('constructor'); } } });
    delete globalThis.Promise;`,
  'a replaced iteration protocol': `
    const owners = [Array.prototype, String.prototype, Map.prototype, Set.prototype];
    for (let index = 0; index < owners.length; index += 1) {
      define(owners[index], Symbol.iterator, { value: () => { note('iterator'); return { next: () => ({ done: true }) }; } });
    }`,
};

test.each(Object.entries(TAMPERINGS))(
  'console and timers work as before after %s',
  async (_name, tampering) => {
    const { value, error, lines } = await probe.run(`
      let notes = '';
      const note = (what) => { notes += what + ' '; };
      const toText = String, { setPrototypeOf, defineProperty } = Object;
      const define = (owner, key, attributes) => { setPrototypeOf(attributes, null); defineProperty(owner, key, attributes); };
      const map = new Map([['k', { deep: [1] }]]), set = new Set(['s']), date = new Date(0), error = new TypeError('bad');
      const bytes = new Uint8Array([1, 2]), pattern = /a/g;
      const { log, group, count } = console, later = setTimeout, micro = queueMicrotask;
      { ${tampering} }
      notes = '';
      log('%s and', 'text', 5, -0, 10n, { a: 'b', c: [1, { d: null }] }, map, set);
      log(date, error, bytes, pattern, () => 1, undefined);
      group('g'); count(); log('in');
      later((a, b) => {
        // What was noted in between was not ours: the probe waits for a promise itself.
        notes = noted;
        log(a, b);
        micro(() => answer(stringify(['value', notes])));
      }, 1, 'x', { y: 1 });
      const noted = notes;
      // Only the callback answers: what waits for a promise trusts the realm.
      await { then() {} };`);
    expect(error).toBeUndefined();
    expect(lines).toEqual([
      "text and 5 -0 10n { a: 'b', c: [1, { d: null }] } Map(1) { 'k' => { deep: [1] } } Set(1) { 's' }",
      '1970-01-01T00:00:00.000Z [TypeError: bad] Uint8Array(2) [1, 2] /a/g [Function: (anonymous)] undefined',
      'g',
      '  default: 1',
      '  in',
      '  x { y: 1 }',
    ]);
    expect(value).toBe('');
  },
);

test('an error thrown by any global names no file of the host', async () => {
  const { value } = await probe.run(`
    const stacks = [];
    const calls = [
      () => atob('='), () => new URL('x'), () => setTimeout(5), () => structuredClone(() => 1), () => new AbortSignal(),
      () => crypto.getRandomValues(5), () => new TextDecoder('x'), () => new Event(), () => new ArrayBuffer(1, { maxByteLength: 2 }),
      () => { throw AbortSignal.abort().reason; }, () => new EventTarget().addEventListener('x', 5),
      () => new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array([255])), () => queueMicrotask(),
    ];
    for (const call of calls) { try { call(); stacks.push('nothing thrown'); } catch (error) { stacks.push(error.stack); } }
    return stacks;`);
  const stacks = value as string[];
  for (const stack of stacks) {
    expect(stack).toMatch(/\(?(probe|signalbox:prelude):\d+/);
    expect(stack).not.toMatch(/\.(ts|mjs|js)\b|node_modules|host|work/);
  }
});

test('call sites of the globals show neither functions nor receivers', async () => {
  const { value } = await probe.run(`
    const seen = [];
    Error.prepareStackTrace = (error, sites) => {
      for (const site of sites) {
        const file = site.getFileName();
        if (file !== 'probe' && file !== null) seen.push([file, site.getFunction(), site.getThis()]);
      }
      return '';
    };
    const look = () => void new Error('x').stack;
    const target = new EventTarget();
    target.addEventListener('x', look);
    target.dispatchEvent(new Event('x'));
    structuredClone({ get a() { look(); } });
    console.log(new Proxy({}, { ownKeys() { look(); return []; } }));
    await new Promise((resolve) => setTimeout(() => { look(); resolve(); }, 1));
    return [seen.length > 3, seen.filter(([file, made, self]) => file !== 'signalbox:prelude' || made || self)];`);
  expect(value).toEqual([true, []]);
});

test('a sloppy callback cannot see who called it', async () => {
  const { value } = await probe.run(`
    const callers = [];
    const sloppy = Function('callers', 'return function spy() { callers.push(spy.caller, this === globalThis); return []; }')(callers);
    const target = new EventTarget();
    target.addEventListener('x', sloppy);
    target.dispatchEvent(new Event('x'));
    console.log(new Proxy({}, { ownKeys: sloppy }));
    structuredClone(Object.defineProperty({}, 'a', { get: sloppy, enumerable: true }));
    new URLSearchParams('a=b').forEach(sloppy);
    queueMicrotask(sloppy);
    await null; await null;
    return callers.filter((caller, index) => index % 2 === 0);`);
  expect(value).toEqual([null, null, null, null, null]);
});

test('an exhausted stack leaves the console and timers whole', async () => {
  const { value, lines } = await probe.run(`
    const kinds = [];
    const dive = () => { try { dive(); } catch (error) { kinds[0] = error.constructor === RangeError; } console.log('deep', { a: [1] }); };
    try { (function fall() { try { fall(); } finally { setTimeout(() => {}, 1); } })(); } catch (error) { kinds.push(error.name); }
    console.log('whole');
    return kinds;`);
  expect(value).toEqual([expect.stringMatching(/RangeError|QuotaExceededError/)]);
  expect(lines.at(-1)).toBe('whole');
});
