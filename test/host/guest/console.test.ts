import { afterAll, beforeAll, expect, test } from 'vitest';
import { LIMITS } from '../../../sdk/limits.ts';
import { openProbe, type Probe } from './probe.ts';

let probe: Probe;
beforeAll(async () => {
  probe = await openProbe();
});
afterAll(() => probe.close());

async function linesOf(source: string): Promise<readonly string[]> {
  const { error, lines } = await probe.run(source);
  expect(error).toBeUndefined();
  return lines;
}

const SHOWN: readonly (readonly [values: string, line: string])[] = [
  ["'plain', 5, true, null, undefined", 'plain 5 true null undefined'],
  ['', ''],
  ['-0, NaN, 10n, Symbol("s")', '-0 NaN 10n Symbol(s)'],
  ['10n ** 200n', '[long bigint]'],
  [
    "{ a: 1, 'b-c': 'd', e: { f: [1, , 'x'] } }",
    "{ a: 1, 'b-c': 'd', e: { f: [1, <empty>, 'x'] } }",
  ],
  ['{}, []', '{} []'],
  ['[[[[[[1]]]]]]', '[[[[[…]]]]]'],
  ['{ a: { b: { c: { d: { e: 1 } } } } }', '{ a: { b: { c: { d: {…} } } } }'],
  ['(() => { const a = { n: 1 }; a.self = a; return a; })()', '{ n: 1, self: [Circular] }'],
  ['Array.from({ length: 70 }, () => 0)', `[${'0, '.repeat(63)}0, … 6 more]`],
  ['{ get a() { throw 1; }, set b(v) {} }', '{ a: [Getter], b: [Setter] }'],
  [
    'new Map([[{ k: 1 }, "v"]]), new Set([1, "a"]), new Map()',
    "Map(1) { { k: 1 } => 'v' } Set(2) { 1, 'a' } Map(0) {}",
  ],
  ['new Date(0), new Date(NaN)', '1970-01-01T00:00:00.000Z Invalid Date'],
  ['/a\\n/giu', '/a\\n/giu'],
  [
    'new Uint8Array([1, 2]), new ArrayBuffer(4)',
    'Uint8Array(2) [1, 2] ArrayBuffer { byteLength: 4 }',
  ],
  [
    '() => 1, function named() {}, class Made {}',
    '[Function: (anonymous)] [Function: named] [Function: Made]',
  ],
  ['new (class Made { constructor() { this.x = 1; } })()', 'Made { x: 1 }'],
  ['Object.create(null)', '[null prototype] {}'],
  ['new TypeError("bad", { cause: new Error("why") })', '[TypeError: bad, cause: [Error: why]]'],
  ['new DOMException("m", "AbortError")', '[AbortError: m]'],
  ['Object.defineProperty({ seen: 1 }, "hidden", { value: 2 })', '{ seen: 1 }'],
  ['"%s is %d of %i, %o%%", "a", "5", 2.9, { b: 1 }, "rest"', 'a is 5 of 2, { b: 1 }% rest'],
  ['"100%", 5', '100% 5'],
  ['"%c styled", "color: red"', ' styled'],
  ['"%d", { valueOf() { throw 1; } }', 'NaN'],
  ['"a\\nb\\r\\u001b[31mred\\u202e"', 'a\\nb\\r\\u001b[31mred\\u202e'],
  ['["it\'s\\n"]', "['it\\'s\\n']"],
];

test.each(SHOWN)('console.log(%s) is one line', async (values, line) => {
  expect(await linesOf(`console.log(${values});`)).toEqual([line]);
});

const HOSTILE = [
  'new Proxy({}, { getPrototypeOf() { throw 1; }, ownKeys() { throw 1; } })',
  'new Proxy([], { getOwnPropertyDescriptor() { throw 1; } })',
  'new Proxy(() => 1, { getOwnPropertyDescriptor() { throw 1; } })',
  '(() => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return proxy; })()',
  '(() => { const { proxy, revoke } = Proxy.revocable([], {}); revoke(); return proxy; })()',
  '{ toString() { throw 1; }, toJSON() { throw 1; }, [Symbol.toPrimitive]() { throw 1; } }',
  '{ get [Symbol.toStringTag]() { throw 1; } }',
  "{ [Symbol.for('nodejs.util.inspect.custom')]() { throw 1; } }",
  'Object.defineProperty(new Error("x"), "message", { get() { throw 1; } })',
  'Object.defineProperty(new Error("x"), "stack", { get() { throw 1; } })',
  'Object.defineProperty(() => 1, "name", { get() { throw 1; } })',
  'Object.setPrototypeOf(new Map([[1, 2]]), Date.prototype)',
  'Object.create(Map.prototype)',
  'Object.create({ get constructor() { throw 1; } })',
  'Object.assign(new Date(0), { toISOString() { throw 1; } })',
  'globalThis',
  'console',
];

test.each(HOSTILE)('a log of %s calls none of its code and does not throw', async (value) => {
  const lines = await linesOf(`console.log(${value}); console.log('after');`);
  expect(lines).toHaveLength(2);
  expect(lines[1]).toBe('after');
});

test('getters, inspection hooks and conversions of a value are not called', async () => {
  const { value } = await probe.run(`
    let calls = 0;
    const call = () => { calls += 1; return 'called'; };
    const names = ['toString', 'valueOf', 'toJSON', Symbol.toPrimitive, Symbol.for('nodejs.util.inspect.custom')];
    const item = Object.defineProperty({}, 'field', { get: call, enumerable: true });
    for (const name of names) Object.defineProperty(item, name, { value: call, enumerable: true });
    Object.defineProperty(item, Symbol.toStringTag, { get: call });
    for (const method of Object.keys(console)) console[method](item, [item], new Map([[item, item]]));
    return calls;`);
  expect(value).toBe(0);
});

test.each([
  ['ascii', "'x'.repeat(1e6)"],
  ['three bytes a character', "'€'.repeat(1e6)"],
  ['pairs', "'😀'.repeat(1e6)"],
  ['control characters', "'\\n'.repeat(1e6)"],
  ['wide', 'Object.fromEntries(Array.from({ length: 1e4 }, (_, i) => [i, i]))'],
  ['deep', 'Array.from({ length: 1e4 }).reduce((inner) => [inner], 1)'],
  ['many', '...Array.from({ length: 1e4 }, () => ({ a: "b".repeat(100) }))'],
  ['maps in maps', 'Array.from({ length: 1e3 }).reduce((inner) => new Map([[inner, inner]]), 1)'],
])('a line stays within its bytes: %s', async (_name, value) => {
  const [line = ''] = await linesOf(`console.log(${value});`);
  expect(Buffer.byteLength(line)).toBeLessThanOrEqual(LIMITS.logLineBytes);
  expect(line.length).toBeGreaterThan(5);
  expect(line.isWellFormed()).toBe(true);
  expect(line).not.toMatch(/\n/);
});

test('levels, groups, counts, times and assertions are told apart', async () => {
  const lines = await linesOf(`
    console.info('i'); console.debug('d'); console.warn('w'); console.error('e'); console.trace('t');
    console.group('outer'); console.log('in'); console.groupCollapsed(); console.log('deeper');
    console.groupEnd(); console.groupEnd(); console.groupEnd(); console.log('out');
    console.count(); console.count('a'); console.count(); console.countReset(); console.count();
    console.assert(true, 'no'); console.assert(false, 'yes', 1); console.assert(0);
    console.dir({ a: 1 }, { depth: 9 }); console.dirxml(1, 2); console.table([{ a: 1 }], ['a']);
    console.time(); console.timeEnd('other'); console.timeLog(undefined, 'x'); console.timeEnd(); console.timeEnd();
    console.clear();`);
  expect(lines.map((line) => line.replace(/\d+ms/, 'Nms'))).toEqual([
    'i',
    'debug: d',
    'warn: w',
    'error: e',
    'trace: t',
    'outer',
    '  in',
    '    deeper',
    'out',
    'default: 1',
    'a: 1',
    'default: 2',
    'default: 1',
    'Assertion failed: yes 1',
    'Assertion failed',
    '{ a: 1 }',
    '1 2',
    '[{ a: 1 }]',
    'default: Nms x',
    'default: Nms',
  ]);
});

test("nothing of V8's own console is left", async () => {
  const { value } = await probe.run(`
    const names = Reflect.ownKeys(console).map(String);
    const prototype = Object.getPrototypeOf(console);
    return [names.includes('context'), names.includes('profile'), Reflect.ownKeys(prototype),
      Object.getPrototypeOf(prototype) === Object.prototype, console.log('x'), typeof console.log.prototype];`);
  expect(value).toEqual([false, false, [], true, null, 'undefined']);
});
