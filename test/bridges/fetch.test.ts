import { createServer, type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { LIMITS } from '../../sdk/limits.ts';
import { fetchOf, localServer, names } from './web.ts';

const refused = (message: string): object => ({
  code: 'unavailable',
  message: expect.stringContaining(message) as string,
});

test('a request arrives as it was asked for, and its answer comes back as text', async () => {
  const { port, seen } = await localServer((_, response) => {
    response.writeHead(201, { 'x-a': ['1', '2'] }).end('čau');
  });
  const answer = await fetchOf([port])(`http://a.test:${port}/p?q=1#f`, {
    method: 'POST',
    headers: { 'x-id': '7' },
    body: '{"a":1}',
  });
  expect(answer).toMatchObject({ status: 201, body: 'čau', headers: { 'x-a': '1, 2' } });
  expect(seen).toMatchObject([
    {
      method: 'POST',
      url: '/p?q=1',
      body: '{"a":1}',
      headers: { host: `a.test:${port}`, 'x-id': '7', 'accept-encoding': 'identity' },
    },
  ]);
});

test('a name at an address that is not public is refused before anything is sent', async () => {
  const { port, seen } = await localServer((_, response) => response.end('secret'));
  for (const address of ['127.0.0.1', '::1', '10.0.0.1', '169.254.169.254', '::ffff:127.0.0.1']) {
    const fetch = fetchOf([port], {
      rules: { ports: [`a.test:${port}`], private: [] },
      resolve: names({ 'a.test': [address] }),
    });
    await expect(fetch(`http://a.test:${port}/`)).rejects.toMatchObject(refused('public'));
  }
  expect(seen).toEqual([]);
});

test('one address that is not public among public ones is enough to refuse', async () => {
  const { port, seen } = await localServer((_, response) => response.end());
  const fetch = fetchOf([port], {
    rules: { ports: [`a.test:${port}`], private: [] },
    resolve: names({ 'a.test': ['93.184.216.34', '127.0.0.1'] }),
  });
  await expect(fetch(`http://a.test:${port}/`)).rejects.toMatchObject(refused('public'));
  expect(seen).toEqual([]);
});

test('a name is looked up once, and the connection goes to the address that was checked', async () => {
  const { port, seen } = await localServer((_, response) => response.end('ok'));
  let lookups = 0;
  const fetch = fetchOf([port], {
    // Rebinding: the first answer passes, every later one is the metadata of a cloud.
    resolve: async () => {
      lookups += 1;
      return [{ address: lookups === 1 ? '127.0.0.1' : '169.254.169.254', family: 4 }];
    },
  });
  expect(await fetch(`http://a.test:${port}/`)).toMatchObject({ body: 'ok' });
  expect(lookups).toBe(1);
  await expect(fetch(`http://a.test:${port}/`)).rejects.toMatchObject(refused('public'));
  expect(seen).toHaveLength(1);
});

test('an exception opens the own network to one host, never link-local or mapped addresses', async () => {
  const { port } = await localServer((_, response) => response.end('ok'));
  const resolve = names({ 'a.test': ['127.0.0.1'], 'c.test': ['127.0.0.1'] });
  const rules = { ports: [`a.test:${port}`, `c.test:${port}`], private: ['A.test'] };
  const fetch = fetchOf([], { rules, resolve });
  expect(await fetch(`http://a.test:${port}/`)).toMatchObject({ body: 'ok' });
  await expect(fetch(`http://c.test:${port}/`)).rejects.toMatchObject(refused('public'));
  for (const address of ['169.254.169.254', '::ffff:127.0.0.1', '0.0.0.0', '64:ff9b::7f00:1']) {
    const other = fetchOf([], { rules, resolve: names({ 'a.test': [address] }) });
    await expect(other(`http://a.test:${port}/`)).rejects.toMatchObject(refused('public'));
  }
});

test.each(['http://127.0.0.1', 'http://[::1]', 'http://[::ffff:7f00:1]', 'http://0x7f.1'])(
  'an address in the URL is held to the same rule: %s',
  async (origin) => {
    const { port, seen } = await localServer((_, response) => response.end());
    const { hostname } = new URL(origin);
    const fetch = fetchOf([], { rules: { ports: [`${hostname}:${port}`], private: [] } });
    await expect(fetch(`${origin}:${port}/`)).rejects.toMatchObject(refused('public'));
    expect(seen).toEqual([]);
  },
);

test('a port that the operator did not open is refused', async () => {
  const { port, seen } = await localServer((_, response) => response.end());
  const fetch = fetchOf([], { rules: { ports: [`b.test:${port}`], private: ['a.test'] } });
  await expect(fetch(`http://a.test:${port}/`)).rejects.toMatchObject(refused('port'));
  await expect(fetch('http://a.test:22/')).rejects.toMatchObject(refused('port'));
  expect(seen).toEqual([]);
});

test('a redirect within the granted hosts is followed without the credentials of the first', async () => {
  const second = await localServer((_, response) => response.end('there'));
  const first = await localServer((_, response) => {
    response.writeHead(302, { location: `http://b.test:${second.port}/x` }).end('moved');
  });
  const answer = await fetchOf([first.port, second.port])(`http://a.test:${first.port}/`, {
    headers: { authorization: 'Bearer t', cookie: 'a=b', 'x-api-key': 'k', 'x-id': '7' },
  });
  expect(answer).toMatchObject({ body: 'there', url: `http://b.test:${second.port}/x` });
  expect(first.seen[0]?.headers).toMatchObject({ authorization: 'Bearer t' });
  expect(second.seen[0]?.headers).toMatchObject({ 'x-id': '7' });
  for (const name of ['authorization', 'cookie', 'x-api-key']) {
    expect(second.seen[0]?.headers).not.toHaveProperty([name]);
  }
});

test.each([
  ['a private address', 'http://10.0.0.1/'],
  ['the metadata of a cloud', 'http://169.254.169.254/latest/meta-data/'],
  ['loopback', 'http://127.0.0.1/'],
  ['loopback by name', 'http://localhost/'],
  ['a host that is not granted', 'http://c.test/'],
  ['a host with a dot at its end', 'http://a.test./'],
  ['a file', 'file:///etc/passwd'],
  ['a password', 'http://me:pw@a.test/'],
  ['no URL', 'http://['],
])('a redirect to %s is refused', async (_, location) => {
  const { port, seen } = await localServer((__, response) => {
    response.writeHead(302, { location }).end();
  });
  await expect(fetchOf([port])(`http://a.test:${port}/`)).rejects.toMatchObject(
    refused('target of a redirect'),
  );
  expect(seen).toHaveLength(1);
});

test('a granted host that redirects to itself at a closed port is refused there', async () => {
  const { port } = await localServer((_, response) => {
    response.writeHead(307, { location: 'http://a.test:6379/' }).end();
  });
  await expect(fetchOf([port])(`http://a.test:${port}/`)).rejects.toMatchObject(refused('port'));
});

test('redirects that never end are cut off', async () => {
  const { port, seen } = await localServer((_, response) => {
    response.writeHead(302, { location: '/again' }).end();
  });
  await expect(fetchOf([port])(`http://a.test:${port}/`)).rejects.toMatchObject(
    refused('redirects'),
  );
  expect(seen.length).toBeLessThan(10);
});

test.each([
  [303, 'PUT', 'GET', ''],
  [302, 'POST', 'GET', ''],
  [307, 'POST', 'POST', 'body'],
  [308, 'PUT', 'PUT', 'body'],
  [302, 'PUT', 'PUT', 'body'],
])('after a %i a %s becomes a %s', async (status, method, next, body) => {
  const { port, seen } = await localServer((request, response) => {
    if (request.url === '/') response.writeHead(status, { location: '/next' });
    response.end();
  });
  const headers = { 'content-type': 'text/plain' };
  await fetchOf([port])(`http://a.test:${port}/`, { method, headers, body: 'body' });
  expect(seen[1]).toMatchObject({ method: next, body });
  expect('content-type' in (seen[1]?.headers ?? {})).toBe(body !== '');
});

test('an answer of more than 1 MB is refused, whether it says so or not', async () => {
  const { port } = await localServer((request, response) => {
    if (request.url === '/said') response.writeHead(200, { 'content-length': '9000000' });
    response.write(Buffer.alloc(100_000, 'x'));
    // Never ends by itself: what stops it is that nobody reads on.
    const more = (): void => {
      while (response.write(Buffer.alloc(100_000, 'x')));
      response.once('drain', more);
    };
    if (request.url !== '/said') more();
  });
  const fetch = fetchOf([port]);
  for (const path of ['said', 'endless']) {
    await expect(fetch(`http://a.test:${port}/${path}`)).rejects.toMatchObject(
      refused(`longer than ${LIMITS.fetchResponseBytes}`),
    );
  }
});

test('a HEAD has headers and no body, however large the thing is', async () => {
  const { port } = await localServer((_, response) => {
    response.writeHead(200, { 'content-length': '9000000', 'content-encoding': 'gzip' }).end();
  });
  expect(await fetchOf([port])(`http://a.test:${port}/`, { method: 'HEAD' })).toMatchObject({
    status: 200,
    body: '',
    headers: { 'content-length': '9000000' },
  });
});

test('a compressed answer is refused: nobody asked for one, and it may be a bomb', async () => {
  const { port } = await localServer((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'.repeat(10_000_000)));
  });
  await expect(fetchOf([port])(`http://a.test:${port}/`)).rejects.toMatchObject(
    refused('compressed'),
  );
});

test('an answer that does not come is given up when the run is over, and its connection closed', async () => {
  const over = new AbortController();
  let closed: Promise<unknown> = Promise.resolve();
  const { port } = await localServer((request) => {
    closed = new Promise((done) => request.socket.once('close', done));
    over.abort();
  });
  const fetch = fetchOf([port]);
  await expect(fetch(`http://a.test:${port}/`, { signal: over.signal })).rejects.toMatchObject({
    code: 'unavailable',
  });
  await closed;
});

test('a server that answers with rubbish, or closes at once, is a failed request and no more', async () => {
  for (const reply of [
    '',
    'SSH-2.0-OpenSSH\r\n',
    `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(40_000)}\r\n\r\n`,
  ]) {
    const server = createServer((socket) => socket.on('error', () => undefined).end(reply));
    server.listen(0, '127.0.0.1');
    await new Promise((done) => server.once('listening', done));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const failure = await fetchOf([port])(`http://a.test:${port}/`).catch((error: Error) => error);
    expect(failure).toMatchObject({ code: 'unavailable', message: 'The request failed' });
  }
});

test('no connection serves two requests', async () => {
  const ports: (number | undefined)[] = [];
  const { port } = await localServer((request, response) => {
    ports.push(request.socket.remotePort);
    response.end();
  });
  const fetch = fetchOf([port]);
  await fetch(`http://a.test:${port}/`);
  await fetch(`http://a.test:${port}/`);
  expect(new Set(ports).size).toBe(2);
});

test('a name that no one knows is a failed request', async () => {
  const fetch = fetchOf([], { resolve: names({}) });
  await expect(fetch('http://a.test/')).rejects.toMatchObject(refused('failed'));
});
