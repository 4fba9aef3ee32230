import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ended, openWorkplace, type Workplace } from './command-line.ts';

/** A busy machine takes its time to start a process with sandboxes. */
const BUSY_MS = 120_000;

const MANIFEST = {
  name: 'guard',
  points: ['preToolUse'],
  capabilities: ['reads_tool_io', 'gates_tools'],
};
const blocks = (word: string): string =>
  `export default () => ({ action: 'block', reason: '${word}' });\n`;

let place: Workplace;

beforeAll(async () => {
  place = await openWorkplace({
    'runtime.json': { limits: { loadMs: 20_000, queueMs: 20_000 } },
    'hooks/guard/hook.json': MANIFEST,
    'hooks/guard/index.mjs': blocks('one'),
  });
});
afterAll(() => place?.remove());

test(
  'a server that runs takes over changes by SIGHUP and by command, and modes from the next call on',
  { timeout: BUSY_MS },
  async () => {
    const server = place.start(['start', '--port', '0', '--json']);
    try {
      const url = await listening(server);
      expect(await fire(url)).toMatchObject({ action: 'block', reason: 'one' });

      await place.write('hooks/guard/index.mjs', blocks('two'));
      server.kill('SIGHUP');
      await expect.poll(async () => (await fire(url)).reason, { timeout: 30_000 }).toBe('two');

      await place.write('hooks/guard/index.mjs', blocks('three'));
      expect(await place.run(['reload', '--url', url])).toMatchObject({
        code: 0,
        out: 'changed hook guard\n',
      });
      expect(await fire(url)).toMatchObject({ reason: 'three' });

      await place.write('runtime.json', '{"packages": ["./none"]}');
      expect(await place.run(['reload', '--url', url])).toMatchObject({
        code: 1,
        err: expect.stringContaining('reload_refused'),
      });
      const fault = ['chaos', 'guard', '--live', '--fault', 'throw', '--url', url];
      const drill = ['--calls', '2', '--reason', 'A drill', '--expect', 'block'];
      const chaos = place.run([...fault, ...drill]);
      await expect.poll(async () => (await fire(url)).code, { timeout: 60_000 }).toBe('thrown');
      expect(await fire(url)).toMatchObject({ action: 'block', code: 'thrown' });
      expect(await fire(url)).toMatchObject({ reason: 'three' });
      const drilled = await chaos;
      expect(drilled).toMatchObject({ code: 0 });
      expect(drilled.out).toMatch(/preToolUse +2 +2 block +2 thrown/);
      expect((await place.run(['records', 'acts'])).out).toMatch(
        /local +fault injected +guard +throw, 2 calls: A drill/,
      );

      const endless = place.start([...fault, '--calls', '1000']);
      const ending = ended(endless);
      await expect.poll(async () => (await fire(url)).code, { timeout: 60_000 }).toBe('thrown');
      endless.kill('SIGINT');
      expect(await ending).toMatchObject({ code: 130 });
      expect(await fire(url)).toMatchObject({ reason: 'three' });

      await place.write('runtime.json', '{');
      // The command itself cannot read the file, and a server that is told otherwise changes nothing.
      expect((await place.run(['reload', '--url', url])).code).toBe(2);
      server.kill('SIGHUP');
      expect(await fire(url)).toMatchObject({ reason: 'three' });
      await place.write('runtime.json', '{}');

      expect(await place.run(['coverage', '--url', url])).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^preToolUse +1 +\d+ +0$/m),
      });

      const refused = await place.run(['mode', 'guard', 'shadow']);
      expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('mode_refused') });
      const forced = ['mode', 'guard', 'shadow', '--force', '--reason', 'Drill', '--by', 'ann'];
      expect(await place.run(forced)).toMatchObject({ code: 0 });
      await expect.poll(async () => (await fire(url)).action, { timeout: 30_000 }).toBe('allow');
      const listed = await place.run(['mode', '--json']);
      expect(JSON.parse(listed.out)).toMatchObject([
        { hook: 'guard', mode: 'shadow', by: 'ann', reason: 'Drill' },
      ]);
      const reloads = await place.run(['reload', '--list']);
      expect(reloads.out).toMatch(/refused +\S+ +reload_refused/);
      expect(reloads.out).toMatch(/applied +SIGHUP +guard changed/);
    } finally {
      const gone = once(server, 'exit');
      server.kill('SIGTERM');
      expect(await gone).toEqual([0, null]);
    }
  },
);

test('a server that is not there is an error that names where it was looked for', async () => {
  const ended = await place.run(['reload', '--url', 'http://127.0.0.1:1']);
  expect(ended).toMatchObject({ code: 2, err: expect.stringContaining('127.0.0.1:1') });
});

/** The URL that a server says it listens on. */
async function listening(server: ReturnType<Workplace['start']>): Promise<string> {
  if (server.stdout === null) throw new Error('its output is not piped');
  for await (const line of createInterface({ input: server.stdout })) {
    const { listening: url } = JSON.parse(line) as { listening?: string };
    if (url !== undefined) {
      // Whoever pipes and does not read would stop it.
      server.stdout.resume();
      return url;
    }
  }
  throw new Error('it ended before it listened');
}

async function fire(url: string): Promise<{ action?: string; reason?: string; code?: string }> {
  const response = await fetch(`${url}/v1/points/preToolUse`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ payload: { toolName: 't' }, context: { sessionId: 's' } }),
  });
  return (await response.json()) as { action?: string; reason?: string; code?: string };
}
