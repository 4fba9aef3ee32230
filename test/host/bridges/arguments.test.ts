import { expect, test } from 'vitest';
import {
  createBridge,
  type Bridge,
  type BridgeOptions,
  type Ports,
} from '../../../host/bridges.ts';
import { LIMITS } from '../../../sdk/limits.ts';

const GRANTED = ['net:fetch:api.example.com', 'secrets:TOKEN', 'llm:call', 'emits:events'];

/** Ports that say what they were asked for. */
function portsOf(asked: unknown[]): Ports {
  return {
    async fetch({ url, method, headers, body }) {
      asked.push([method, url.href, headers, body]);
      return { status: 200, url: url.href, headers: {}, body: '' };
    },
    secrets: {
      read: async (name) => (name === 'TOKEN' ? 's3cret' : undefined),
      scrub: (text) => text,
    },
    async llm(prompt) {
      asked.push(prompt);
      return 'yes';
    },
    emit: (event) => void asked.push(event),
  };
}

function bridgeOf(ports: Ports, options: Partial<BridgeOptions> = {}): Bridge {
  return createBridge({
    granted: GRANTED,
    declared: GRANTED,
    ports,
    mode: 'live',
    origin: { point: 'preToolUse', hook: 'guard', context: {} },
    ...options,
  });
}

test('fetch hands on the URL, method, headers and body, with names in lower case', async () => {
  const asked: unknown[] = [];
  const { handle } = bridgeOf(portsOf(asked));
  const init = { method: 'post', headers: { 'X-Id': '1' }, body: '{}' };
  expect(await handle('fetch', ['https://API.example.com/a?b=c', init])).toMatchObject({
    ok: true,
  });
  expect(await handle('fetch', ['http://api.example.com', null])).toMatchObject({ ok: true });
  expect(asked).toEqual([
    ['POST', 'https://api.example.com/a?b=c', { 'x-id': '1' }, '{}'],
    ['GET', 'http://api.example.com/', {}, undefined],
  ]);
});

test.each([
  'https://example.com/',
  'https://sub.api.example.com/',
  'https://api.example.com.evil.test/',
  'https://api.example.com./',
  'https://127.0.0.1/',
  'https://0x7f.1/',
  'https://2130706433/',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://аpi.example.com/',
])('a host that is not granted is refused: %s', async (url) => {
  const asked: unknown[] = [];
  const answer = await bridgeOf(portsOf(asked)).handle('fetch', [url]);
  expect(answer).toMatchObject({ ok: false, code: 'capability' });
  expect(asked).toEqual([]);
});

test.each([
  'https://api.example.com\\@evil.test/',
  'https://api%2eexample.com/',
  '\thttps://api.ex\nample.com/',
])('the host is the one that the URL standard reads: %j', async (url) => {
  const asked: unknown[] = [];
  await bridgeOf(portsOf(asked)).handle('fetch', [url]);
  for (const [, href] of asked as [string, string][]) {
    expect(new URL(href).hostname).toBe('api.example.com');
  }
});

const AT = 'https://api.example.com/';

test.each<readonly [string, readonly unknown[]]>([
  ['no URL', []],
  ['a URL that is a number', [1]],
  ['a relative URL', ['/path']],
  ['a file', ['file:///etc/passwd']],
  ['data', ['data:text/plain,x']],
  ['a user', ['https://me@api.example.com/']],
  ['a password', ['https://:pw@api.example.com/']],
  ['a URL of 9 KB', [`${AT}${'x'.repeat(9000)}`]],
  ['three arguments', [AT, {}, {}]],
  ['a text as init', [AT, 'POST']],
  ['a list as init', [AT, []]],
  ['an unknown key', [AT, { redirect: 'manual' }]],
  ['an unknown method', [AT, { method: 'CONNECT' }]],
  ['a method with a line', [AT, { method: 'GET / HTTP/1.1\r\nX: y' }]],
  ['a method that is an object', [AT, { method: {} }]],
  ['headers as a list', [AT, { headers: [['a', 'b']] }]],
  ['a header with a line', [AT, { headers: { a: 'b\r\nHost: evil' } }]],
  ['a header with a lone line feed', [AT, { headers: { a: 'b\nc' } }]],
  ['a header with NUL', [AT, { headers: { a: 'b\0' } }]],
  ['a header beyond ASCII', [AT, { headers: { a: 'č' } }]],
  ['a header name with a line', [AT, { headers: { 'a\r\nhost': 'b' } }]],
  ['a header name with a colon', [AT, { headers: { 'a:': 'b' } }]],
  ['an empty header name', [AT, { headers: { '': 'b' } }]],
  ['a header that is a number', [AT, { headers: { a: 1 } }]],
  ['a header twice', [AT, { headers: { a: '1', A: '2' } }]],
  ['Host', [AT, { headers: { Host: 'evil.test' } }]],
  ['Content-Length', [AT, { headers: { 'content-length': '1' } }]],
  ['Transfer-Encoding', [AT, { headers: { 'Transfer-Encoding': 'chunked' } }]],
  ['Connection', [AT, { headers: { connection: 'keep-alive, x' } }]],
  ['Proxy-Authorization', [AT, { headers: { 'Proxy-Authorization': 'x' } }]],
  ['X-Forwarded-For', [AT, { headers: { 'X-Forwarded-For': '10.0.0.1' } }]],
  ['Metadata-Flavor', [AT, { headers: { 'Metadata-Flavor': 'Google' } }]],
  [
    '65 headers',
    [AT, { headers: Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`h${n}`, ''])) }],
  ],
  ['17 KB of headers', [AT, { headers: { a: 'x'.repeat(17_000) } }]],
  ['a body with GET', [AT, { body: 'x' }]],
  ['a body that is an object', [AT, { method: 'POST', body: {} }]],
  ['a body over 1 MB', [AT, { method: 'POST', body: 'é'.repeat(600_000) }]],
])('a request is refused without an echo: %s', async (_, args) => {
  const asked: unknown[] = [];
  const answer = await bridgeOf(portsOf(asked)).handle('fetch', args);
  expect(answer).toMatchObject({ ok: false, code: 'invalid' });
  expect(JSON.stringify(answer).length).toBeLessThan(200);
  expect(JSON.stringify(answer)).not.toContain('evil');
  expect(asked).toEqual([]);
});

test('a secret is given by name, and one that is not set is an error and not null', async () => {
  const { handle } = bridgeOf(portsOf([]), { granted: ['secrets:TOKEN', 'secrets:OTHER'] });
  expect(await handle('secret', ['TOKEN'])).toEqual({ ok: true, value: 's3cret' });
  expect(await handle('secret', ['OTHER'])).toMatchObject({ ok: false, code: 'unavailable' });
  expect(await handle('secret', ['token'])).toMatchObject({ code: 'capability' });
  for (const name of ['../TOKEN', '/etc/passwd', '.env', '', 'A\0', 1, null]) {
    expect(await handle('secret', [name])).toMatchObject({ code: 'invalid' });
  }
});

test('the model is asked with a text of bounded length', async () => {
  const asked: unknown[] = [];
  const { handle } = bridgeOf(portsOf(asked));
  expect(await handle('llm', ['Is it so?'])).toEqual({ ok: true, value: 'yes' });
  for (const prompt of ['', 1, {}, 'x'.repeat(LIMITS.llmPromptBytes + 1)]) {
    expect(await handle('llm', [prompt])).not.toMatchObject({ ok: true });
  }
  expect(asked).toEqual(['Is it so?']);
});

test('an event has a name of its own and data of bounded size', async () => {
  const asked: unknown[] = [];
  const { handle } = bridgeOf(portsOf(asked));
  expect(await handle('emit', ['acme:seen', { id: 1 }])).toEqual({ ok: true, value: null });
  expect(await handle('emit', ['acme:seen'])).toEqual({ ok: true, value: null });
  const bad: readonly unknown[][] = [
    ['approval:granted', {}],
    ['policy:violation', {}],
    ['seen', {}],
    ['a:b:c', {}],
    ['a: b', {}],
    [1, {}],
    ['acme:seen', 'text'],
    ['acme:seen', [1]],
    ['acme:seen', { x: 'x'.repeat(LIMITS.eventBytes) }],
  ];
  for (const args of bad) {
    expect(await handle('emit', args), JSON.stringify(args[0])).toMatchObject({ code: 'invalid' });
  }
  expect(asked).toEqual([
    { name: 'acme:seen', data: { id: 1 } },
    { name: 'acme:seen', data: {} },
  ]);
});

test('no event is emitted while one is handled', async () => {
  const asked: unknown[] = [];
  const origin = { point: 'event', hook: 'guard', context: {} } as const;
  const { handle } = bridgeOf(portsOf(asked), { origin });
  expect(await handle('emit', ['acme:seen', {}])).toMatchObject({ ok: false, code: 'invalid' });
  expect(asked).toEqual([]);
});

test('each kind of call has a credit of its own', async () => {
  const { handle } = bridgeOf(portsOf([]));
  const most = LIMITS.llmCalls;
  for (let call = 0; call < most; call += 1) await handle('llm', ['x']);
  expect(await handle('llm', ['x'])).toMatchObject({ code: 'credit' });
  expect(await handle('emit', ['acme:seen'])).toMatchObject({ ok: true });
  for (let call = 0; call < LIMITS.fetchCalls; call += 1) await handle('fetch', [AT]);
  expect(await handle('fetch', [AT])).toMatchObject({ code: 'credit' });
});

test('a test sends requests and emits nothing; shadow mode does neither', async () => {
  const asked: unknown[] = [];
  const trial = bridgeOf(portsOf(asked), { mode: 'test' });
  expect(await trial.handle('fetch', [AT])).toMatchObject({ ok: true });
  expect(await trial.handle('emit', ['acme:seen'])).toEqual({ ok: true, value: null });
  expect(asked).toHaveLength(1);
  const shadow = bridgeOf(portsOf(asked), { mode: 'shadow' });
  for (const [op, args] of [
    ['fetch', [AT]],
    ['llm', ['x']],
    ['emit', ['acme:seen']],
  ] as const) {
    expect(await shadow.handle(op, args)).toMatchObject({ ok: false, code: 'shadow' });
  }
  expect(await shadow.handle('secret', ['TOKEN'])).toMatchObject({ ok: true });
  expect(asked).toHaveLength(1);
});

test('what is used is counted with its scope, and a redirect counts for the host it leads to', async () => {
  const granted = ['net:fetch:a.test', 'net:fetch:b.test', 'llm:call'];
  const bridge = bridgeOf(
    {
      llm: async () => 'x',
      async fetch({ url, mayUse }) {
        expect([mayUse('a.test'), mayUse('b.test'), mayUse('c.test')]).toEqual([true, true, false]);
        return { status: 200, url: url.href, headers: {}, body: '' };
      },
    },
    { granted },
  );
  await bridge.handle('fetch', ['https://a.test/']);
  await bridge.handle('llm', ['x']);
  expect(bridge.used()).toEqual([
    { capability: 'net:fetch', scope: 'a.test', count: 1 },
    { capability: 'net:fetch', scope: 'b.test', count: 1 },
    { capability: 'llm:call', scope: '', count: 1 },
  ]);
});

test('a host that was granted in capitals is the host, and no other', async () => {
  const asked: unknown[] = [];
  const granted = ['net:fetch:API.Example.com'];
  const { handle } = bridgeOf(portsOf(asked), { granted, declared: granted });
  expect(await handle('fetch', ['https://api.example.com/'])).toMatchObject({ ok: true });
  expect(await handle('fetch', ['https://API.EXAMPLE.COM/'])).toMatchObject({ ok: true });
  expect(await handle('fetch', ['https://api.example.org/'])).toMatchObject({ code: 'capability' });
  expect(asked).toHaveLength(2);
});

test('what is on its way is called off when the run is over', async () => {
  const bridge = bridgeOf({
    fetch: ({ signal }) =>
      new Promise((_, fail) => {
        signal.addEventListener('abort', () => fail(new Error('called off')));
      }),
  });
  const answer = bridge.handle('fetch', [AT]);
  bridge.end();
  expect(await answer).toMatchObject({ ok: false, code: 'unavailable' });
});
