import vm from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openProbe, type Probe } from './probe.ts';

let probe: Probe;
beforeAll(async () => {
  probe = await openProbe();
});
afterAll(() => probe.close());

/** Evaluates expressions where it is; an error counts by its name. */
const EVALUATE = `(async (expressions) => {
  const outcomes = [];
  for (const expression of expressions) {
    try { outcomes.push([expression, await (0, eval)(expression)]); }
    catch (error) { outcomes.push([expression, 'throws ' + error.name]); }
  }
  return JSON.parse(JSON.stringify(outcomes, (key, value) => value === undefined ? 'undefined'
    : typeof value === 'bigint' ? value + 'n' : Object.is(value, -0) ? '-0' : value));
})`;

/** Node's own answers, which the isolate has to give too. */
async function expectSameAsNode(expressions: readonly string[]): Promise<void> {
  const inNode = vm.runInThisContext(EVALUATE) as (texts: readonly string[]) => Promise<unknown>;
  const { value, error } = await probe.run(`return ${EVALUATE}(${JSON.stringify(expressions)});`);
  expect(error).toBeUndefined();
  expect(value).toEqual(await inNode(expressions));
}

const show = (input: string): string => `(() => {
  const u = new URL(${input});
  return [u.href, u.origin, u.protocol, u.username, u.password, u.host, u.hostname, u.port, u.pathname, u.search, u.hash];
})()`;

test('a URL is read as Node reads it', async () => {
  const inputs = [
    'https://user:pa%20ss@Example.COM:8443/a/./b/../c%2F?q=1&q=2#frag',
    'HTTP://EXAMPLE.com:80',
    'https://example.com:443/',
    'https://bücher.example/straße?ü=ö#ä',
    'https://ＥＸＡＭＰＬＥ.com/',
    'https://example.com./',
    'http://0x7f.1/',
    'http://127.1',
    'http://2130706433/',
    'http://[::1]:80/',
    'http://[2001:db8::0:1]/',
    'http://[::ffff:127.0.0.1]',
    'http:\\\\evil.example\\path',
    'https:/one-slash.example',
    'https:no-slash.example',
    '\t https://a.example/\n ',
    'https://a.example/a\tb\nc',
    'file:///C:/Windows/../x',
    'file:c:\\x',
    'data:text/plain;base64,SGk=',
    'javascript:alert(1)',
    'mailto:a@b.example',
    'https://exa%6Dple.com/',
    'https://a.example@b.example/',
    'https://a.example:99999/',
    'https://a.example:0/',
    'https://',
    'https://exa mple.com',
    'https://a<b.example',
    '//no-scheme.example',
    '',
    'blob:https://a.example/id',
    'https://xn--bcher-kva.example/',
    'https://☕.example/',
    'https://faß.example/',
    'https://a.example/%E0%A4%A',
    'https://a.example/\u{1F600}?\u{1F600}#\u{1F600}',
    'https://1.2.3.4.5/',
    'https://1.2.3.256/',
    'ws://a.example:80/',
    'foo://bar/..//baz',
    'foo:bar/../baz',
    'https://a.example/?\'"<>`',
    'https://a。b．c/',
    'https://\u00ADa.example/',
  ];
  await expectSameAsNode(inputs.map((input) => show(JSON.stringify(input))));
});

test('a URL with a base is read as Node reads it', async () => {
  const base = 'https://a.example/b/c/d?q#f';
  const inputs = [
    'g',
    './g',
    '../g',
    '../../../g',
    '/g',
    '//h.example/g',
    '?y',
    '#s',
    '',
    'g;x=1/../y',
    'mailto:x',
    '\\\\h\\g',
  ];
  await expectSameAsNode([
    ...inputs.map((input) => show(`${JSON.stringify(input)}, ${JSON.stringify(base)}`)),
    show("'x', 'not a base'"),
    show("'x', 'mailto:a'"),
  ]);
});

test('the parts of a URL are set as Node sets them', async () => {
  const set = (part: string, value: string): string =>
    `(() => { const u = new URL('https://u:p@a.example:8080/b?c=d#e'); u.${part} = ${JSON.stringify(value)}; return u.href; })()`;
  await expectSameAsNode([
    set('protocol', 'http'),
    set('protocol', 'ftp:x'),
    set('protocol', 'mailto'),
    set('host', 'b.example:90'),
    set('host', ''),
    set('hostname', 'ü.example:70'),
    set('hostname', '1.1'),
    set('port', '443'),
    set('port', '70x'),
    set('port', ''),
    set('pathname', 'x/../y?z'),
    set('search', '?x=y z'),
    set('search', ''),
    set('hash', 'n ö'),
    set('hash', ''),
    set('username', 'ü@'),
    set('password', ''),
    set('href', 'https://c.example'),
    set('href', 'no'),
    "(() => { const u = new URL('https://a.example/?b=c'); u.searchParams.append('d', 'e f&'); return [u.href, u.search]; })()",
    "(() => { const u = new URL('https://a.example/?b=c'); u.search = 'x=1'; return u.searchParams.get('x'); })()",
    "URL.canParse('https://a.example')",
    "URL.canParse('x')",
    "URL.parse('x')",
    "URL.parse('y', 'https://a.example/x').href",
    "JSON.stringify({ u: new URL('https://a.example') })",
    'new URL()',
    "URL('https://a.example')",
  ]);
});

test('search parameters are those of Node', async () => {
  const list = (made: string): string =>
    `(() => { const p = ${made}; return [[...p], p.toString(), p.size]; })()`;
  await expectSameAsNode([
    list("new URLSearchParams('?a=1&b=2&a=3')"),
    list("new URLSearchParams('a=%20+%2B&&=x&y&%zz=%E4')"),
    list("new URLSearchParams({ a: 1, b: 'ü' })"),
    list("new URLSearchParams([['a', 'b'], ['c', 'd']])"),
    list("new URLSearchParams(new Map([['a', 'b']]))"),
    list("new URLSearchParams(new URLSearchParams('a=b'))"),
    list('new URLSearchParams()'),
    list('new URLSearchParams(undefined)'),
    list('new URLSearchParams(null)'),
    list("new URLSearchParams([['a']])"),
    list('new URLSearchParams([5])'),
    list(
      "(() => { const p = new URLSearchParams('b=1&a=2&b=3&c=%F0%9F%98%80&c=\\uFFFD'); p.sort(); return p; })()",
    ),
    list(
      "(() => { const p = new URLSearchParams('a=1&b=2&a=3'); p.delete('a'); p.set('b', '~*-._ '); p.append('c', ''); return p; })()",
    ),
    list("(() => { const p = new URLSearchParams('a=1&a=2'); p.delete('a', '1'); return p; })()"),
    "new URLSearchParams('a=1&a=2').getAll('a')",
    "new URLSearchParams('a=1&a=2').has('a', '2')",
    "new URLSearchParams('a=1').get('b')",
    "[...new URLSearchParams('a=1&b=2').keys()]",
    "(() => { const out = []; new URLSearchParams('a=1').forEach((v, k) => out.push(v, k)); return out; })()",
  ]);
});

test('base64 is that of Node', async () => {
  const texts = ['', 'a', 'ab', 'abc', 'abcd', '\xff\x00\x10', 'ü', '€', '\u{1F600}'];
  const encoded = [
    '',
    'YQ==',
    'YQ=',
    'YQ',
    'YWI=',
    'YWJj',
    ' Y Q = = ',
    'YQ===',
    '=',
    'Y',
    'YQ==YQ==',
    'YR==',
    '-_-_',
    '////',
    'YW\u00a0Jj',
    'null',
  ];
  await expectSameAsNode([
    ...texts.map((text) => `btoa(${JSON.stringify(text)})`),
    ...encoded.map((text) => `[...atob(${JSON.stringify(text)})].map((c) => c.charCodeAt(0))`),
    'atob()',
    'btoa()',
    'btoa(null)',
    'btoa(Symbol())',
    'atob(5)',
    'btoa({ toString: () => "x" })',
    "(() => { try { atob('='); } catch (e) { return [e.name, e.code, e instanceof DOMException, e instanceof Error]; } })()",
  ]);
});

test('text is encoded as Node encodes it', async () => {
  const texts = ['', 'abc', 'é€😀', '\ud800', 'a\udc00b', '\ud83d\ude00\ud83d', '\0'];
  await expectSameAsNode([
    ...texts.map((text) => `[...new TextEncoder().encode(${JSON.stringify(text)})]`),
    'new TextEncoder().encode().length',
    '[...new TextEncoder().encode(5)]',
    'new TextEncoder().encode(Symbol())',
    'new TextEncoder().encoding',
    "(() => { const b = new Uint8Array(4); return [new TextEncoder().encodeInto('é€', b), [...b]]; })()",
    "(() => { const b = new Uint8Array(5); return [new TextEncoder().encodeInto('a😀x', b), [...b]]; })()",
    'new TextEncoder().encode("a") instanceof Uint8Array',
    'TextEncoder()',
  ]);
});

test('text is decoded as Node decodes it', async () => {
  const decode = (label: string, bytes: readonly number[], options = '{}'): string =>
    `new TextDecoder(${JSON.stringify(label)}, ${options}).decode(new Uint8Array(${JSON.stringify(bytes)}))`;
  await expectSameAsNode([
    decode('utf-8', [0xef, 0xbb, 0xbf, 0x61]),
    decode('utf-8', [0xef, 0xbb, 0xbf, 0x61], '{ ignoreBOM: true }'),
    decode('utf-8', [0x61, 0xff, 0xc3, 0x28, 0xe2, 0x82]),
    decode('utf-8', [0x61, 0xff], '{ fatal: true }'),
    decode('utf-8', [0xf0, 0x9f, 0x98, 0x80]),
    decode('utf-8', [0xed, 0xa0, 0x80]),
    decode('utf-8', [0xf4, 0x90, 0x80, 0x80]),
    decode('UTF-16', [0x61, 0x00, 0x3d, 0xd8, 0x00, 0xde]),
    decode('utf-16le', [0x61, 0x00, 0x3d]),
    decode('utf-16be', [0x00, 0x61]),
    decode('iso-8859-2', [0x61, 0xe8]),
    decode('windows-1251', [0xcf, 0xf0]),
    decode('no-such', [0x61]),
    decode('replacement', [0x61]),
    "new TextDecoder('latin1').encoding",
    "new TextDecoder(' UTF8 ').encoding",
    '[new TextDecoder().fatal, new TextDecoder().ignoreBOM, new TextDecoder().encoding]',
    'new TextDecoder().decode()',
    'new TextDecoder().decode(new Uint8Array([97, 98]).buffer)',
    'new TextDecoder().decode(new DataView(new Uint8Array([97, 98, 99]).buffer, 1))',
    'new TextDecoder().decode("x")',
    'new TextDecoder().decode({})',
    `(() => {
      const d = new TextDecoder();
      return [[0xe2], [0x82], [0xac, 0xf0]].map((b) => d.decode(new Uint8Array(b), { stream: true })).concat(d.decode());
    })()`,
  ]);
});

test('encodings of several bytes a character are refused by name', async () => {
  const { error } = await probe.run("new TextDecoder('shift_jis');");
  expect(error).toEqual({
    name: 'RangeError',
    message: 'The encoding label "shift_jis" is not supported',
  });
});

test('a structured clone is that of Node', async () => {
  const clone = (value: string, look: string): string =>
    `(() => { const v = ${value}; const c = structuredClone(v); return ${look}; })()`;
  await expectSameAsNode([
    clone('5', 'c'),
    clone('-0', 'c'),
    clone('10n', 'c'),
    clone('undefined', 'c'),
    clone("{ a: [1, { b: null }], ['__proto__']: 7 }", '[c, c !== v, Object.keys(c)]'),
    clone('[1, , 3]', '[c.length, 1 in c]'),
    clone('new Date(5)', '[c instanceof Date, c.getTime()]'),
    clone('new Map([[{}, new Set([1])]])', '[c instanceof Map, [...c.values()][0].has(1)]'),
    clone('/a/gi', '[c.source, c.flags, c instanceof RegExp]'),
    clone('new Uint8Array([1, 2, 3]).subarray(1)', '[[...c], c.constructor.name]'),
    clone(
      'new TypeError("x", { cause: 1 })',
      '[c.name, c.message, c.cause, c instanceof TypeError]',
    ),
    clone('Object(1n)', '[typeof c, c.valueOf()]'),
    clone('Object(-0)', 'c.valueOf()'),
    clone('Object(false)', '[typeof c, c.valueOf()]'),
    clone('Object(Symbol())', 'c'),
    clone('new Set([1, [2]])', '[c instanceof Set, [...c], c.constructor === Set]'),
    clone(
      '[new Uint8Array([1, 2]).buffer].map((b) => [new Uint8Array(b), new DataView(b, 1)])[0]',
      '[c[0].buffer === c[1].buffer, c[1].getUint8(0), c[0] instanceof Uint8Array]',
    ),
    clone('new Float32Array([1.5])', '[[...c], c.constructor.name]'),
    clone('new BigUint64Array([5n])', '[[...c], c.constructor.name]'),
    clone('new Date(NaN)', 'c.getTime()'),
    clone('/./dgimsuy', '[c.flags, c.lastIndex]'),
    clone('new Error("x")', '[Object.keys(c), c.stack === v.stack, c.constructor === Error]'),
    clone(
      'Object.assign(new Error("x"), { name: "RangeError", extra: 1 })',
      '[c instanceof RangeError, c.name, c.extra]',
    ),
    clone('Object.assign(new Error("x"), { name: "Other" })', '[c.name, c.constructor === Error]'),
    clone(
      'new DOMException("m", "AbortError")',
      '[c.name, c.message, c.code, c instanceof DOMException]',
    ),
    clone('(() => { const m = new Map(); m.set(m, m); return m; })()', 'c.get(c) === c'),
    clone('Object.assign([1, 2], { x: 1 })', '[c, c.x]'),
    clone('{ get a() { delete this.b; return 1; }, b: 2 }', 'c'),
    clone('Object.defineProperty({}, "a", { value: 1 })', 'Object.keys(c)'),
    clone('{ [Symbol("a")]: 1 }', 'Reflect.ownKeys(c).length'),
    clone(
      'Object.create(null, { a: { value: 1, enumerable: true } })',
      '[c.a, Object.getPrototypeOf(c) === Object.prototype]',
    ),
    clone('new WeakSet()', 'c'),
    clone('(function* () {})()', 'c'),
    clone('(() => { const b = new ArrayBuffer(2); b.transfer(); return b; })()', 'c'),
    'structuredClone(1, { transfer: [{}] })',
    'structuredClone(1, { transfer: [new ArrayBuffer(1), 1] })',
    '(() => { const b = new ArrayBuffer(1); return structuredClone(b, { transfer: [b, b] }); })()',
    '(() => { const b = new ArrayBuffer(2); const c = structuredClone({ v: new Uint8Array(b) }, { transfer: [b] }); return [b.detached, c.v.length]; })()',
    '(() => { const b = new ArrayBuffer(2); try { structuredClone([b, () => 1], { transfer: [b] }); } catch {} return b.byteLength; })()',
    clone('new String("a")', '[typeof c, c.length]'),
    clone('(() => { const a = {}; a.self = a; return a; })()', 'c.self === c'),
    clone('(() => { const a = {}; return [a, a]; })()', 'c[0] === c[1]'),
    clone('{ get a() { return 7; } }', 'Object.getOwnPropertyDescriptor(c, "a").value'),
    clone('new (class A { constructor() { this.b = 1; } })()', '[c.constructor === Object, c.b]'),
    clone('Object.create({ inherited: 1 })', 'c'),
    clone('() => 1', 'c'),
    clone('Symbol()', 'c'),
    clone('{ a: Symbol() }', 'c'),
    clone('new WeakMap()', 'c'),
    clone('Promise.resolve()', 'c'),
    clone('{ a() {} }', 'c'),
    'structuredClone()',
    'structuredClone(1, 5)',
    '(() => { const b = new ArrayBuffer(8); const c = structuredClone(b, { transfer: [b] }); return [b.byteLength, c.byteLength]; })()',
    '(() => { try { structuredClone(() => 1); } catch (e) { return [e.name, e.code, e instanceof DOMException]; } })()',
  ]);
});

test('events are those of Node', async () => {
  const told = (body: string): string =>
    `(() => { const log = []; const t = new EventTarget(); const say = (e) => log.push(e.type); ${body} return log; })()`;
  const dispatch = "t.dispatchEvent(new Event('x'));";
  await expectSameAsNode([
    told(`t.addEventListener('x', say); t.addEventListener('x', say); ${dispatch}${dispatch}`),
    told(`t.addEventListener('x', say, { once: true }); ${dispatch}${dispatch}`),
    told(`t.addEventListener('x', say); t.removeEventListener('x', say); ${dispatch}`),
    told(`t.addEventListener('x', say, true); t.removeEventListener('x', say); ${dispatch}`),
    told(
      `t.addEventListener('x', { handleEvent(e) { log.push(this !== undefined, e.target === t, e.currentTarget === t, e.eventPhase); } }); ${dispatch}`,
    ),
    told(
      `t.addEventListener('x', (e) => e.stopImmediatePropagation()); t.addEventListener('x', say); ${dispatch}`,
    ),
    told(
      `t.addEventListener('x', () => t.addEventListener('x', say)); ${dispatch} log.push('-'); ${dispatch}`,
    ),
    told(
      `t.addEventListener('x', () => t.removeEventListener('x', say)); t.addEventListener('x', say); ${dispatch}`,
    ),
    told(
      `const c = new AbortController(); t.addEventListener('x', say, { signal: c.signal }); ${dispatch} c.abort(); ${dispatch}`,
    ),
    told(
      "t.addEventListener('x', (e) => e.preventDefault()); log.push(t.dispatchEvent(new Event('x', { cancelable: true })), t.dispatchEvent(new Event('x')));",
    ),
    told(
      "t.addEventListener('x', (e) => e.preventDefault(), { passive: true }); log.push(t.dispatchEvent(new Event('x', { cancelable: true })));",
    ),
    told(
      "t.addEventListener('x', (e) => t.dispatchEvent(e)); t.addEventListener('x', null); t.dispatchEvent({ type: 'x' });",
    ),
    told("t.addEventListener('x');"),
    told(
      "const e = new Event('x', { bubbles: true }); log.push(e.bubbles, e.cancelable, e.composed, e.defaultPrevented, e.isTrusted, e.target, e.eventPhase, e.composedPath());",
    ),
    told(
      "const e = new Event('x'); t.dispatchEvent(e); log.push(e.target === t, e.currentTarget, e.eventPhase);",
    ),
    'new Event()',
    "Event('x')",
    '[Event.NONE, Event.AT_TARGET, Event.BUBBLING_PHASE]',
    'EventTarget.prototype.addEventListener.call({}, "x", () => 1)',
    'new (class Own extends EventTarget {})() instanceof EventTarget',
  ]);
});

test('abort signals are those of Node', async () => {
  await expectSameAsNode([
    '(() => { const c = new AbortController(); const log = []; c.signal.onabort = (e) => log.push(e.type, e.target === c.signal); c.abort(); c.abort(); return [log, c.signal.aborted, c.signal.reason.name, c.signal.reason.code, c.signal.reason.message]; })()',
    '(() => { const c = new AbortController(); c.abort(7); return [c.signal.reason, c.signal === c.signal]; })()',
    '(() => { const c = new AbortController(); c.abort(null); return c.signal.reason; })()',
    'AbortSignal.abort().throwIfAborted()',
    "AbortSignal.abort('x').reason",
    'new AbortController().signal.throwIfAborted()',
    'new AbortSignal()',
    'AbortController()',
    '(() => { const a = new AbortController(), b = new AbortController(); const s = AbortSignal.any([a.signal, b.signal]); const log = [s.aborted]; s.addEventListener("abort", () => log.push(s.reason)); b.abort("why"); a.abort("no"); return log; })()',
    '(() => { const a = new AbortController(); const s = AbortSignal.any([AbortSignal.any([a.signal])]); a.abort(1); return [s.aborted, s.reason]; })()',
    'AbortSignal.any([AbortSignal.abort(3)]).reason',
    'AbortSignal.any([]).aborted',
    'AbortSignal.any([{}])',
    'AbortSignal.any(5)',
    'AbortSignal.timeout("x")',
    'new Promise((resolve) => { const s = AbortSignal.timeout(2); s.onabort = () => resolve([s.reason.name, s.reason.code, s.reason instanceof DOMException]); })',
    'new AbortController().signal instanceof EventTarget',
  ]);
});

test('a DOMException is that of Node', async () => {
  const names = [
    'AbortError',
    'DataCloneError',
    'QuotaExceededError',
    'InvalidCharacterError',
    'TimeoutError',
    'ValidationError',
    'OperationError',
    'x',
  ];
  await expectSameAsNode([
    ...names.map(
      (name) =>
        `(() => { const e = new DOMException('m', '${name}'); return [e.name, e.message, e.code, String(e)]; })()`,
    ),
    '(() => { const e = new DOMException(); return [e.name, e.message, e.code, e instanceof Error, "cause" in e]; })()',
    "new DOMException('m', { name: 'n', cause: 5 }).cause",
    '[DOMException.ABORT_ERR, new DOMException().DATA_CLONE_ERR, DOMException.length]',
    "typeof new DOMException('m').stack",
    'Object.prototype.toString.call(new DOMException())',
    'DOMException()',
    "Object.getOwnPropertyDescriptor(DOMException.prototype, 'name').get.call({})",
  ]);
});

test('randomness, the clock and microtasks behave as those of Node', async () => {
  await expectSameAsNode([
    '/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID())',
    'crypto.randomUUID() === crypto.randomUUID()',
    'crypto.getRandomValues(new Uint8Array(64)).some((byte) => byte > 0)',
    '(() => { const a = new Uint32Array(8); return [crypto.getRandomValues(a) === a, a.some((n) => n > 65536)]; })()',
    '(() => { const all = new Uint8Array(64); crypto.getRandomValues(all.subarray(16, 32)); return [all.slice(0, 16).every((b) => b === 0), all.slice(32).every((b) => b === 0)]; })()',
    'crypto.getRandomValues(new BigInt64Array(2)).length',
    'crypto.getRandomValues(new Uint8Array(0)).length',
    'crypto.getRandomValues(new Uint8Array(65536)).length',
    'crypto.getRandomValues(new Uint8Array(65537))',
    'crypto.getRandomValues(new Float64Array(1))',
    'typeof performance.now()',
    'performance.now() >= 0 && performance.now() < 60_000 * 60',
    'Math.abs(performance.timeOrigin + performance.now() - Date.now()) < 1000',
    'typeof performance.toJSON().timeOrigin',
    "new Promise((resolve) => { const log = []; queueMicrotask(() => log.push('micro')); Promise.resolve().then(() => log.push('then')).then(() => resolve(log)); log.push('sync'); })",
    'queueMicrotask(5)',
    'queueMicrotask()',
    'setTimeout("code")',
    'setTimeout()',
    'setInterval({})',
    'clearTimeout()',
    "clearTimeout('x')",
    'clearInterval(null)',
  ]);
});
