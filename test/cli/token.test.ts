import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openWorkplace, type Workplace } from './command-line.ts';

/** A busy machine takes its time to start a process. */
const BUSY_MS = 120_000;

let place: Workplace;

beforeAll(async () => {
  place = await openWorkplace({ 'runtime.json': {} });
});
afterAll(() => place?.remove());

test(
  'a token that the command line made opens the server once its line is in runtime.json, and no longer',
  { timeout: BUSY_MS },
  async () => {
    const made = await place.run([
      'token',
      'create',
      '--role',
      'admin',
      '--name',
      'jane',
      '--json',
    ]);
    const { token, line } = JSON.parse(made.out) as { token: string; line: object };
    expect(line).toEqual({
      name: 'jane',
      role: 'admin',
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    await place.write('runtime.json', JSON.stringify({ server: { tokens: [line] } }));
    const server = place.start(['start', '--port', '0', '--json']);
    try {
      const url = await listening(server);
      const me = (headers: Record<string, string>) => fetch(`${url}/v1/me`, { headers });
      expect((await me({})).status).toBe(401);
      const authorization = `Bearer ${token}`;
      expect(await (await me({ authorization })).json()).toMatchObject({ name: 'jane' });
      await place.write('runtime.json', '{}');
      const reload = await fetch(`${url}/v1/reload`, {
        method: 'POST',
        headers: { authorization },
      });
      expect(await reload.json()).toEqual({
        changed: [{ kind: 'setting', name: 'server', change: 'changed' }],
        needsRestart: [],
      });
      expect((await me({ authorization })).status).toBe(401);
    } finally {
      server.kill('SIGTERM');
      await once(server, 'exit');
    }
  },
);

test('a token of no role is not made', { timeout: BUSY_MS }, async () => {
  const ended = await place.run(['token', 'create', '--role', 'root']);
  expect(ended).toMatchObject({ code: 2, out: '' });
});

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
