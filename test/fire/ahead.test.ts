import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openNurseries } from '../../host/nurseries.ts';
import { configFromObject } from '../../src/config/load-config.ts';
import { startRuntime } from '../../src/live-runtime.ts';
import { makeLiar } from '../fuzz/liar.ts';

/**
 * A child that changes the payload in its first hook and goes on with the second all the same, on what it was sent ahead:
 * an honest one leaves that run out.
 */
const HASTY = `
  globalThis.ahead ??= 0;
  const answer = (decision) => say(2, heard.id, 0, JSON.stringify(decision));
  if (heard.kind === 1) say(2, heard.id, 6, '');
  else if (heard.kind === 6) { ahead += 1; answer({ action: 'block', reason: 'stale' }); }
  else if (heard.kind !== 2) return;
  else if (heard.text.includes('"safe"')) answer({ action: 'allow' });
  else if (heard.text.includes('"count"')) answer({ action: 'block', reason: ahead + ' ran ahead' });
  else answer({ action: 'modify', payload: { args: { command: 'safe' } } });`;

/** Opens a runtime of one package with two hooks, whose process is a child of our own. */
async function openWith(child: string) {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'signalbox-ahead-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const capabilities = ['reads_tool_io', 'gates_tools'];
  const home = path.join(folder, 'pack');
  for (const name of ['first', 'second']) {
    const hook = path.join(home, 'hooks', name);
    await mkdir(hook, { recursive: true });
    const manifest = { name, points: ['preToolUse'], capabilities, timeoutMs: 10_000 };
    await writeFile(path.join(hook, 'hook.json'), JSON.stringify(manifest));
    await writeFile(path.join(hook, 'index.mjs'), 'export default { run: () => null };');
  }
  await writeFile(path.join(home, 'package.json'), '{"name":"pack","version":"1.0.0"}');
  const packages = [{ package: './pack', grants: capabilities }];
  const limits = { loadMs: 20_000, queueMs: 20_000 };
  const liar = await makeLiar(child);
  onTestFinished(() => liar.remove());
  const runtime = await startRuntime({
    config: configFromObject({ packages, limits }, folder),
    nurseries: openNurseries(liar.entries, 0),
    log: { level: 'silent' },
  });
  onTestFinished(() => runtime.close());
  return (command: string) =>
    runtime.fire('preToolUse', { toolName: 'Bash', args: { command } }, { sessionId: 's' });
}

test('an answer that was made ahead counts for the payload that it was made on alone', async () => {
  const fire = await openWith(HASTY);
  for (let at = 0; at < 3; at += 1) {
    const { action, payload, trace } = await fire('rm -rf /');
    expect(action).toBe('modify');
    expect(payload).toMatchObject({ args: { command: 'safe' } });
    expect(trace.map((entry) => [entry.hook, entry.action])).toEqual([
      ['first', 'modify'],
      ['second', 'allow'],
    ]);
  }
  expect((await fire('count')).reason).toMatch(/^[1-9] ran ahead$/);
}, 90_000);
