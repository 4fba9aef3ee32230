import { expect, onTestFinished, test } from 'vitest';
import { join } from 'node:path';
import { once } from 'node:events';
import { openRecords } from '../../src/records/records.ts';
import { lineOf, openWorkplace } from '../cli/command-line.ts';
import { temporaryDatabase } from '../sql/temporary-folder.ts';

test('a server that is killed with SIGKILL loses no decision that it answered', async () => {
  const place = await openWorkplace({
    'runtime.json': { limits: { loadMs: 20_000, queueMs: 20_000 } },
    'hooks/guard/hook.json': {
      name: 'guard',
      points: ['preToolUse'],
      capabilities: ['gates_tools'],
      timeoutMs: 10_000,
    },
    'hooks/guard/index.mjs': 'export const run = () => ({ action: "block", reason: "no" });\n',
  });
  onTestFinished(() => place.remove());
  const server = place.start(['start', '--no-replay', '--port', '0']);
  onTestFinished(() => void server.kill('SIGKILL'));
  server.stderr?.resume();
  const url = /http:\S+/.exec(await lineOf(server, /Listening/))?.[0] ?? '';
  const answered: string[] = [];
  const call = async (): Promise<void> => {
    for (;;) {
      const response = await fetch(`${url}/v1/points/preToolUse`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ payload: { toolName: 'shell' }, context: { sessionId: 's' } }),
      });
      const verdict = (await response.json()) as { readonly id: string; readonly action: string };
      expect(verdict.action).toBe('block');
      answered.push(verdict.id);
      // Others are under way at this moment.
      if (answered.length === 200) server.kill('SIGKILL');
    }
  };
  const ended = once(server, 'exit');
  const calls = await Promise.allSettled(Array.from({ length: 8 }, call));
  await ended;
  expect(calls.filter(({ status }) => status === 'rejected')).toHaveLength(8);
  expect(answered.length).toBeGreaterThanOrEqual(200);
  const database = await temporaryDatabase(join(place.folder, '.signalbox/records.db'));
  const { records } = await openRecords(database).query({ limit: 1000 });
  const kept = new Set(records.map(({ fireId }) => fireId));
  expect(answered.filter((id) => !kept.has(id))).toEqual([]);
}, 90_000);
