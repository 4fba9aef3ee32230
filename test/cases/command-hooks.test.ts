import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openServer, type Server } from '../../src/server/server.ts';
import { ROOT } from '../house/imports.ts';
import { openTemporary, type TemporaryRuntime } from '../runtime/temporary-runtime.ts';

const RUN = `({
  rm: { action: 'block', reason: 'always deny' },
  mv: { action: 'modify', payload: { args: { command: 'cp' } } },
  dd: { action: 'ask', reason: 'is this right' },
  cat: { action: 'result', result: 'canned' },
})[payload.args.command] ?? ({ action: 'allow' })`;

let temporary: TemporaryRuntime;
let server: Server;
let script: string;

beforeAll(async () => {
  temporary = await openTemporary({ guard: { run: RUN } }, { approvals: { enabled: true } });
  const options = { host: '127.0.0.1', port: 0, payloadBytes: null, version: '0' };
  server = await openServer(temporary.runtime, options);
  const guide = readFileSync(join(ROOT, 'docs/embedding.md'), 'utf8');
  const [, code = ''] = /^`signalbox-hook\.mjs`:\n\n```js\n(.*?)^```$/ms.exec(guide) ?? [];
  script = join(temporary.folder, 'signalbox-hook.mjs');
  writeFileSync(script, code);
}, 120_000);

afterAll(async () => {
  await server?.close();
  await temporary?.remove();
});

/** What the command of the embedding guide does with a call of a shell, as an agent hands it over. */
async function hook(command: string, url = server.url) {
  const env = { ...process.env, SIGNALBOX_URL: url, NODE_OPTIONS: '' };
  const child = spawn(process.execPath, [script], { env });
  child.stdin.end(
    JSON.stringify({
      session_id: 's',
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      tool_input: { command },
      tool_use_id: 'toolu_1',
    }),
  );
  const [out, err, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number]>,
  ]);
  return { out, err, code };
}

const refusal = (permissionDecisionReason: string): string => {
  const decision = { hookEventName: 'PreToolUse', permissionDecision: 'deny' };
  const hookSpecificOutput = { ...decision, permissionDecisionReason };
  return `${JSON.stringify({ hookSpecificOutput })}\n`;
};

test('[A06] a block reaches an agent in the one shape that it heeds, and no other field', async () => {
  expect(await hook('rm')).toEqual({ out: refusal('always deny'), err: '', code: 0 });
}, 60_000);

test('[A07] where hooks allow, the agent is told nothing, so that it still asks its user', async () => {
  expect(await hook('git status')).toEqual({ out: '{}\n', err: '', code: 0 });
}, 60_000);

test('what an agent would run as it was, although hooks want otherwise, is refused', async () => {
  for (const command of ['mv', 'dd', 'cat']) {
    const { out, code } = await hook(command);
    expect([command, code]).toEqual([command, 0]);
    expect(JSON.parse(out)).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
  }
}, 120_000);

test('without an answer the command ends with the one code that stops the call', async () => {
  const { out, err, code } = await hook('ls', 'http://127.0.0.1:1');
  expect({ out, code }).toEqual({ out: '', code: 2 });
  expect(err).toMatch(/^Signalbox could not decide/);
}, 60_000);
