import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTemporary, type TemporaryRuntime } from './temporary-runtime.ts';

/** A busy machine takes its time to start many sandboxes. */
const BUSY_MS = 120_000;

let server: Server;
let port: number;
let opened: TemporaryRuntime;
const seen: string[] = [];
const secrets = mkdtempSync(join(tmpdir(), 'signalbox-secrets-'));

const BASE = ['reads_tool_io', 'gates_tools', 'reads_context', 'gates_context'];

beforeAll(async () => {
  server = createServer((request, response) => {
    void text(request).then((body) => {
      seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? ''} ${body}`);
      if (request.url === '/v1/chat/completions') {
        return response.end('{"choices":[{"message":{"content":"looks fine"}}]}');
      }
      if (request.url === '/slow') return undefined;
      if (request.url === '/away') response.writeHead(302, { location: 'http://169.254.169.254/' });
      return response.end('{"verdict":"bad"}');
    });
  });
  server.listen(0, 'localhost');
  await new Promise((done) => server.once('listening', done));
  port = (server.address() as AddressInfo).port;
  writeFileSync(join(secrets, 'API_KEY'), 'k-123456\n');
  process.env['SIGNALBOX_LLM_URL'] = `http://localhost:${port}/v1`;
  process.env['SIGNALBOX_LLM_MODEL'] = 'small';
  const at = `"http://localhost:${port}`;
  const scene = (name: string, run: string, capabilities: readonly string[], more = {}) => ({
    [name]: { scene: name, run, manifest: { capabilities: [...BASE, ...capabilities], ...more } },
  });
  const caught = `.catch((error) => ({ action: "block", reason: error.code + ": " + error.message }))`;
  opened = await openTemporary(
    {
      ...scene(
        'lookup',
        `ctx.fetch(${at}/check", { method: "POST", body: JSON.stringify(payload.args) })
          .then((answer) => Promise.all([answer.ok, answer.status, answer.json(), answer.text(), Object.isFrozen(answer)]))
          .then((all) => ({ action: "block", reason: JSON.stringify(all) }))`,
        ['net:fetch:localhost'],
      ),
      ...scene('elsewhere', `ctx.fetch("https://example.com/")${caught}`, ['net:fetch:localhost']),
      ...scene('away', `ctx.fetch(${at}/away")${caught}`, ['net:fetch:localhost']),
      ...scene('literal', `ctx.fetch("http://127.0.0.1/")${caught}`, ['net:fetch:127.0.0.1']),
      ...scene('slow', `ctx.fetch(${at}/slow")`, ['net:fetch:localhost'], { timeoutMs: 700 }),
      ...scene(
        'bare',
        `({ action: "block", reason: [typeof ctx.fetch, typeof ctx.secret, typeof ctx.llm, typeof ctx.emit].join() })`,
        [],
      ),
      ...scene(
        'keyed',
        `ctx.secret("API_KEY").then(async (key) => {
          ctx.log("key", key);
          await ctx.fetch(${at}/keyed", { headers: { Authorization: "Bearer " + key } });
          return { action: "block", reason: "used " + key };
        })`,
        ['secrets:API_KEY', 'net:fetch:localhost'],
      ),
      ...scene('unset', `ctx.secret("NO_SUCH")${caught}`, ['secrets:NO_SUCH']),
      ...scene('asking', `ctx.llm("Is it?").then((reason) => ({ action: "block", reason }))`, [
        'llm:call',
      ]),
      ...scene(
        'emitting',
        `ctx.emit("acme:seen", { tool: payload.toolName }).then(() => ({ action: "allow" }))`,
        ['emits:events'],
      ),
      homely: {
        home: 'local',
        scene: 'homely',
        run: `ctx.fetch(${at}/home").then((answer) => answer.json()).then((said) => ({ action: "block", reason: said.verdict }))`,
        manifest: { capabilities: [...BASE, 'net:fetch:localhost'] },
      },
      tampering: {
        scene: 'tampering',
        module: `
          Object.prototype.then = function (done) { done({ body: "mine" }); };
          Object.prototype.body = "mine";
          Promise.prototype.then = function () { throw new Error("mine"); };
          JSON.parse = () => ({ verdict: "mine" });
          Array.prototype[Symbol.iterator] = function* () { yield "https://example.com/"; };
          export const run = (point, payload, ctx) => {
            ctx.fetch(${at}/tampered");
            return { action: "block", reason: "done" };
          };`,
        manifest: { capabilities: [...BASE, 'net:fetch:localhost'] },
      },
      listener: {
        run: '({ action: "block", reason: payload.name + " " + JSON.stringify(payload.data) })',
        manifest: { points: ['event'], capabilities: BASE },
      },
    },
    {
      fetch: { ports: [`localhost:${port}`], private: ['localhost'] },
      secrets: { folder: secrets },
    },
  );
}, BUSY_MS);

afterAll(async () => {
  await opened?.remove();
  delete process.env['SIGNALBOX_LLM_URL'];
  delete process.env['SIGNALBOX_LLM_MODEL'];
  server.closeAllConnections();
  server.close();
  rmSync(secrets, { recursive: true });
});

function fire(scene: string): Promise<{ action: string; reason?: string; code?: string }> {
  return opened.runtime.fire(
    'preToolUse',
    { toolName: 'pay', args: { to: 'x' } },
    { sessionId: scene },
  );
}

test('a hook in its isolate asks a service and decides by its answer', async () => {
  const verdict = await fire('lookup');
  expect(verdict.action).toBe('block');
  expect(JSON.parse(verdict.reason ?? '')).toEqual([
    true,
    200,
    { verdict: 'bad' },
    '{"verdict":"bad"}',
    true,
  ]);
  expect(seen).toContain('POST /check  {"to":"x"}');
});

test('a host that is not granted fails the run, whatever the hook makes of the error', async () => {
  expect(await fire('elsewhere')).toMatchObject({ action: 'block', code: 'capability' });
});

test('a redirect to a private address is an error that the hook can read', async () => {
  const { reason } = await fire('away');
  expect(reason).toBe('unavailable: The target of a redirect is at a host that is not granted');
});

test('a grant for a loopback address does not lift the rule against it', async () => {
  expect((await fire('literal')).reason).toMatch(/public address/);
});

test('a service that does not answer costs a guard its time and no more', async () => {
  expect(await fire('slow')).toMatchObject({ action: 'block', code: 'timeout' });
});

test('a local hook in its worker asks as well', async () => {
  expect((await fire('homely')).reason).toBe('bad');
});

test('a hook that turns the built-ins round asks the host it names, or fails by its policy', async () => {
  expect(await fire('tampering')).toMatchObject({ action: 'block' });
  const { processes } = opened.runtime;
  expect(processes().length).toBeGreaterThan(0);
  expect((await fire('bare')).reason).toContain('undefined');
});

test('without capabilities none of the bridges is there', async () => {
  expect((await fire('bare')).reason).toBe('undefined,undefined,undefined,undefined');
});

test('a secret reaches the service, and neither the verdict, the records nor the log', async () => {
  const { reason } = await fire('keyed');
  expect(reason).toBe('used [secret]');
  expect(seen).toContain('GET /keyed Bearer k-123456 ');
  const { records } = await opened.runtime.records.query({ session: 'keyed' });
  expect(records).toMatchObject([{ reason: 'used [secret]' }]);
  expect(JSON.stringify(opened.logged())).not.toContain('k-123456');
  const report = await opened.runtime.test({
    point: 'preToolUse',
    hookName: 'keyed',
    payload: { toolName: 'pay' },
  });
  expect(report.logs).toEqual([{ hook: 'keyed', line: 'key [secret]' }]);
  expect(JSON.stringify(report)).not.toContain('k-123456');
});

test('a secret that is not set is an error', async () => {
  expect((await fire('unset')).reason).toBe('unavailable: The secret is not set');
});

test("a hook asks the host's model", async () => {
  expect((await fire('asking')).reason).toBe('looks fine');
});

test('an event that a hook emits is fired for the session it comes from, after the run', async () => {
  expect(await fire('emitting')).toMatchObject({ action: 'allow' });
  await expect
    .poll(async () => (await opened.runtime.records.query({ point: 'event' })).records, {
      timeout: 20_000,
    })
    .toMatchObject([
      {
        hook: 'listener',
        sessionId: 'emitting',
        reason: 'acme:seen {"tool":"pay"}',
      },
    ]);
});

test('what was used is counted by host, secret and kind', async () => {
  await opened.runtime.records.flush();
  const used = (await opened.runtime.records.uses()).map(
    ({ hook, capability, scope }) => `${hook} ${capability} ${scope}`,
  );
  expect(used).toEqual(
    expect.arrayContaining([
      'lookup net:fetch localhost',
      'keyed secrets API_KEY',
      'asking llm:call ',
      'emitting emits:events ',
    ]),
  );
  expect(used.join()).not.toContain('example.com');
});
