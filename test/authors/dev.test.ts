import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ended, lineOf, openWorkplace, type Workplace } from '../cli/command-line.ts';

// Each opens several processes, one after the other.
vi.setConfig({ testTimeout: 180_000 });

let place: Workplace;

const MANIFEST = {
  name: 'guard',
  timeoutMs: 20_000,
  points: ['preInput'],
  capabilities: ['reads_input', 'gates_input'],
};

const hook = (word: string): string =>
  `export const createHook = () => ({ run(point, payload, ctx) { ctx.log('${word}'); return payload.text === 'no' ? { action: 'block', reason: '${word}' } : { action: 'allow' }; } });`;

beforeAll(async () => {
  place = await openWorkplace({
    'package.json': { name: 'guard', version: '1.0.0', type: 'module' },
    'hooks/guard/hook.json': MANIFEST,
    'hooks/guard/index.mjs': hook('first'),
    'hooks/guard/fixtures/blocks.json': {
      point: 'preInput',
      payload: { text: 'no' },
      expect: { action: 'block', reason: 'first' },
    },
  });
});

afterAll(() => place.remove());

test('every save runs the fixtures again, shows decisions and logs, and ends nothing when it is wrong', async () => {
  const dev = place.start(['dev']);
  try {
    await lineOf(dev, /^ok +blocks\.json: block first$/);
    const differs = lineOf(dev, /^FAIL blocks\.json: block second$/);
    const logs = lineOf(dev, /^ +log second$/);
    await place.write('hooks/guard/index.mjs', hook('second'));
    await Promise.all([differs, logs]);
    const again = lineOf(dev, /^ok +blocks\.json: block first$/);
    await place.write(
      'hooks/guard/hook.json',
      JSON.stringify({
        ...MANIFEST,
        points: ['preInput', 'preOutput'],
        capabilities: [...MANIFEST.capabilities, 'reads_output', 'gates_output'],
      }),
    );
    await place.write(
      'hooks/guard/fixtures/answers.json',
      JSON.stringify({
        point: 'preOutput',
        payload: { text: 'no' },
        expect: { action: 'block', reason: 'first' },
      }),
    );
    const bound = lineOf(dev, /^ok +answers\.json: block first$/);
    await place.write('hooks/guard/index.mjs', 'export const createHook = (;');
    await place.write('hooks/guard/index.mjs', hook('first'));
    await Promise.all([again, bound]);
  } finally {
    dev.kill('SIGINT');
    await ended(dev);
  }
});

test('run once, the exit code says whether all was as expected', async () => {
  expect(await place.run(['dev', '--once'])).toMatchObject({ code: 0 });
  await place.write('hooks/guard/index.mjs', hook('other'));
  const { code, out } = await place.run(['dev', '--once']);
  expect(code).toBe(1);
  expect(out).toContain('reason is "other", expected "first"');
  await place.write('hooks/guard/index.mjs', hook('first'));
});

test('a debugger gets the hook without a sandbox, and that is said first', async () => {
  const dev = place.start(['dev', '--inspect']);
  let shown = '';
  const url = new Promise<string>((found) => {
    dev.stderr?.on('data', (chunk: Buffer) => {
      shown += chunk.toString();
      const match = /ws:\/\/127\.0\.0\.1:\d+\/[\w-]+/.exec(shown);
      if (match !== null) found(match[0]);
    });
  });
  const decided = lineOf(dev, /^blocks\.json: \{"action":"block","reason":"first"\}$/);
  const socket = new WebSocket(await url);
  await new Promise((opened) => socket.addEventListener('open', opened));
  expect(shown).toMatch(/^UNSAFE: the hook runs without a sandbox/);
  socket.send(JSON.stringify({ id: 1, method: 'Runtime.enable' }));
  socket.send(JSON.stringify({ id: 2, method: 'Runtime.runIfWaitingForDebugger' }));
  socket.send(JSON.stringify({ id: 3, method: 'Debugger.enable' }));
  socket.addEventListener('message', ({ data }) => {
    const { method } = JSON.parse(String(data)) as { method?: string };
    if (method === 'Debugger.paused')
      socket.send(JSON.stringify({ id: 4, method: 'Debugger.resume' }));
  });
  await decided;
  socket.close();
  await ended(dev);
});

test('bench puts a hook beside an empty one', async () => {
  const { code, out } = await place.run(['bench', '--rounds', '3', '--json']);
  expect(code).toBe(0);
  const rows = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { who: string; calls: number });
  expect(rows.map(({ who, calls }) => [who, calls])).toEqual([
    ['an empty hook', 6],
    ['guard', 6],
  ]);
  expect(await place.run(['bench', '--rounds', 'many'])).toMatchObject({ code: 2 });
});
