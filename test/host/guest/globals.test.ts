import { afterAll, beforeAll, expect, test } from 'vitest';
import { ADDED_GLOBALS, REMOVED_GLOBALS } from '../../../sdk/globals.ts';
import { bundleGlobals, openProbe, type Probe } from './probe.ts';

let probe: Probe;
beforeAll(async () => {
  probe = await openProbe();
});
afterAll(() => probe.close());

const NAMES = 'return Reflect.ownKeys(globalThis).map(String).sort()';

test('the globals are those of ECMAScript, less the removed, plus the added, and no more', async () => {
  const bare = (await probe.runBare(NAMES)).value as string[];
  const hook = (await probe.run(NAMES)).value as string[];
  const removed = new Set<string>([...REMOVED_GLOBALS, 'console']);
  const expected = [...bare.filter((name) => !removed.has(name)), ...ADDED_GLOBALS].toSorted();
  expect(hook).toEqual(expected);
});

test('the globals are at most 100 KB of source in each isolate', async () => {
  expect((await bundleGlobals()).length).toBeLessThan(100_000);
});

test('what comes up at its first use adds no name', async () => {
  const { value } = await probe.run(`
    const before = Reflect.ownKeys(globalThis).length;
    new URL('https://bücher.example'); new URLSearchParams('a=b'); structuredClone({ a: new Map() });
    new TextDecoder().decode(new TextEncoder().encode('ü'));
    return Reflect.ownKeys(globalThis).length - before;`);
  expect(value).toBe(0);
});

test.each(ADDED_GLOBALS)('%s is writable, configurable and not enumerable', async (name) => {
  const { value } = await probe.run(`
    void globalThis[${JSON.stringify(name)}];
    const { value, ...rest } = Object.getOwnPropertyDescriptor(globalThis, ${JSON.stringify(name)});
    return [typeof value, rest];`);
  expect(value).toEqual([
    expect.stringMatching(/^(function|object)$/),
    { writable: true, enumerable: false, configurable: true },
  ]);
});

test.each(['URL', 'URLSearchParams'])('%s can be replaced before it is looked at', async (name) => {
  const { value } = await probe.run(`globalThis.${name} = 7; return ${name};`);
  expect(value).toBe(7);
});

const INTERFACES = ADDED_GLOBALS.filter((name) => /^[A-Z]/.test(name));

test.each(INTERFACES)('%s has its own name, tag, and enumerable members', async (name) => {
  const { value } = await probe.run(`
    const members = Object.getOwnPropertyDescriptors(${name}.prototype);
    const hidden = Object.keys(members).filter((key) => key !== 'constructor' && !members[key].enumerable);
    return [${name}.name, ${name}.prototype[Symbol.toStringTag], ${name}.prototype.constructor === ${name}, hidden];`);
  expect(value).toEqual([name, name, true, []]);
});

test.each(ADDED_GLOBALS.filter((name) => /^[a-z]/.test(name)))(
  '%s is named as on the web',
  async (name) => {
    const { value } = await probe.run(
      `return typeof ${name} === 'function' ? ${name}.name : ${name}[Symbol.toStringTag];`,
    );
    const tags: Readonly<Record<string, string>> = { crypto: 'Crypto', performance: 'Performance' };
    expect(value).toBe(tags[name] ?? name);
  },
);

test('an array buffer keeps its constructor, class, species and views', async () => {
  const { value } = await probe.run(`
    class Own extends ArrayBuffer {}
    const own = new Own(8);
    const buffer = new ArrayBuffer(8);
    return [
      buffer.constructor === ArrayBuffer,
      buffer instanceof ArrayBuffer,
      own instanceof Own && own instanceof ArrayBuffer && own.byteLength === 8,
      own.slice(2) instanceof Own,
      buffer.slice(2).byteLength,
      ArrayBuffer[Symbol.species] === ArrayBuffer,
      ArrayBuffer.isView(new Uint8Array(buffer)),
      new Uint8Array(3).buffer.constructor === ArrayBuffer,
      new DataView(buffer).byteLength,
      [ArrayBuffer.name, ArrayBuffer.length, Object.prototype.toString.call(buffer)],
      structuredClone(buffer).constructor === ArrayBuffer,
      Object.keys(ArrayBuffer),
      JSON.stringify(Object.getOwnPropertyDescriptor(ArrayBuffer, 'prototype')),
    ];`);
  expect(value).toEqual([
    true,
    true,
    true,
    true,
    6,
    true,
    true,
    true,
    8,
    ['ArrayBuffer', 1, '[object ArrayBuffer]'],
    true,
    [],
    '{"value":{},"writable":false,"enumerable":false,"configurable":false}',
  ]);
});

test.each([
  ['ArrayBuffer(8)', 'TypeError'],
  ['new ArrayBuffer(-1)', 'RangeError'],
  ['new ArrayBuffer(8, { maxByteLength: 16 })', 'TypeError'],
  ['Reflect.construct(ArrayBuffer, [8, { maxByteLength: 16 }], Array)', 'TypeError'],
  ['new (class extends ArrayBuffer {})(8, { maxByteLength: 16 })', 'TypeError'],
  ['new ArrayBuffer(8).resize(4)', 'TypeError'],
])('%s is a %s', async (expression, name) => {
  expect((await probe.run(`return ${expression};`)).error?.name).toBe(name);
});

test.each(['undefined', 'null', '{}', '5', '{ maxByteLength: undefined }'])(
  'a buffer with the options %s has a fixed length',
  async (options) => {
    const { value } = await probe.run(`
      const buffer = new ArrayBuffer(8, ${options});
      return [buffer.byteLength, buffer.resizable, buffer.transfer(16).resizable];`);
    expect(value).toEqual([8, false, false]);
  },
);

test('no function that a hook can reach makes a buffer that grows or is shared', async () => {
  const { value } = await probe.run(`
    ${WALK}
    const found = [];
    for (const [path, item] of walk()) {
      if (typeof item !== 'function' || /removeEventListener|setInterval|setTimeout/.test(path)) continue;
      let made;
      try { made = Reflect.construct(item, [8, { maxByteLength: 16 }]); } catch { continue; }
      const tag = Object.prototype.toString.call(made);
      if (tag === '[object SharedArrayBuffer]') found.push(path);
      if (tag === '[object ArrayBuffer]' && made.resizable) found.push(path);
    }
    return found;`);
  expect(value).toEqual([]);
});

test('every object and function that a hook can reach leads to the Function of its isolate', async () => {
  const { value } = await probe.run(`
    ${WALK}
    const foreign = [];
    let count = 0;
    for (const [path, item] of walk()) {
      count += 1;
      let climbed;
      try { climbed = item.constructor?.constructor ?? Function; } catch { continue; }
      if (climbed !== Function && climbed?.constructor !== Function) foreign.push(path);
    }
    return [foreign, count > 500, Function('return this')() === globalThis, typeof process];`);
  expect(value).toEqual([[], true, true, 'undefined']);
});

/** Yields what is reachable by properties, accessors, prototypes and fresh objects of each kind. */
const WALK = `
  function* walk() {
    const seen = new Set();
    const controller = new AbortController();
    const queue = [
      ['globalThis', globalThis], ['signal', controller.signal], ['url', new URL('https://a.example/?b=c')],
      ['exception', new DOMException('a', 'AbortError')], ['event', new Event('a')], ['target', new EventTarget()],
      ['bytes', new TextEncoder().encode('a')], ['decoder', new TextDecoder()], ['clone', structuredClone({ a: [1] })],
      ['uuid', crypto.randomUUID], ['random', crypto.getRandomValues(new Uint8Array(4))],
      ['params', new URLSearchParams('a=b').entries()], ['generator', (function* () {})()],
      ['async', (async () => {})()], ['asyncGenerator', (async function* () {})()],
    ];
    for (const call of ['atob("=")', 'new URL("x")', 'setTimeout(5)', 'structuredClone(() => 1)', 'new AbortSignal()']) {
      try { Function(call)(); } catch (error) { queue.push([call, error]); }
    }
    while (queue.length > 0) {
      const [path, item] = queue.pop();
      if (item === null || (typeof item !== 'object' && typeof item !== 'function') || seen.has(item)) continue;
      seen.add(item);
      yield [path, item];
      queue.push([path + '^', Object.getPrototypeOf(item)]);
      for (const key of Reflect.ownKeys(item)) {
        const { value, get, set } = Object.getOwnPropertyDescriptor(item, key);
        queue.push([path + '.' + String(key), value], [path + '.get ' + String(key), get], [path + '.set ' + String(key), set]);
      }
    }
  }`;
