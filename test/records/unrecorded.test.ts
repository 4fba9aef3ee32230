import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openTemporary, type TemporaryRuntime } from '../runtime/temporary-runtime.ts';

const HOOKS = {
  changes: {
    run: '({ action: "modify", payload: { toolName: "other" } })',
    scene: 'closed',
    manifest: { failPolicy: 'closed' },
  },
  'changes-open': {
    run: '({ action: "modify", payload: { toolName: "other" } })',
    scene: 'open',
    manifest: { failPolicy: 'open' },
  },
  silent: { run: '({ action: "allow" })', scene: 'neutral' },
  blocks: { run: '({ action: "block", reason: "no" })', scene: 'block' },
  answers: {
    run: '({ action: "allow", notice: { text: "looked" } })',
    scene: 'closed',
    manifest: { points: ['postTurn'], failPolicy: 'closed' },
  },
  token: {
    run: '({ action: "suppress", text: "…" })',
    scene: 'closed',
    manifest: { points: ['onToken'], failPolicy: 'closed' },
  },
} as const;

let temporary: TemporaryRuntime;

beforeAll(async () => {
  temporary = await openTemporary(HOOKS);
  // As a disk that takes no more: every commit of a record fails.
  const database = new DatabaseSync(join(temporary.folder, '.signalbox/records.db'));
  database.exec('alter table decisions rename to gone');
  database.close();
});

afterAll(() => temporary.remove());

const CALL = { toolName: 'tool' } as const;

test('what a closed guard decided and nobody could record is a block that says so', async () => {
  const { runtime } = temporary;
  const verdict = await runtime.fire('preToolUse', CALL, { sessionId: 'closed' });
  expect(verdict).toMatchObject({
    action: 'block',
    code: 'unrecorded',
    hook: 'changes',
    reason: 'The decision of hook "changes" could not be recorded (fail-closed)',
  });
  expect(temporary.logged()).toContainEqual(expect.objectContaining({ event: 'database' }));
});

test.each([
  ['a hook that may fail open', 'open', { action: 'modify', hook: 'changes-open' }],
  ['a block', 'block', { action: 'block', hook: 'blocks', reason: 'no' }],
  ['a plain allow, which leaves no record', 'neutral', { action: 'allow' }],
])('the decision of %s stands although nothing can be recorded', async (_, sessionId, expected) => {
  const verdict = await temporary.runtime.fire('preToolUse', CALL, { sessionId });
  expect(verdict).toMatchObject(expected);
  expect(verdict.code).toBeUndefined();
});

test('a stream is hidden rather than shown unrecorded, and what nothing stops goes on', async () => {
  const { runtime } = temporary;
  const context = { sessionId: 'closed' };
  const token = await runtime.fire('onToken', { text: 'word' }, context);
  expect(token).toMatchObject({ action: 'suppress', code: 'unrecorded', hook: 'token' });
  expect(token.text).toBeUndefined();
  const after = await runtime.fire('postTurn', { turn: 1, input: 'a', output: 'b' }, context);
  expect(after).toMatchObject({ action: 'allow' });
});

/** A disk of a size, or nothing where this process may not mount one. */
function smallDisk(bytes: number): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder], {
      stdio: 'ignore',
    });
    return folder;
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
}

test('on a full disk closed guards block and say so, blocks stand, and with room again all is as before', async (context) => {
  const disk = smallDisk(2 * 1024 * 1024);
  if (disk === undefined) return context.skip('a small disk can be mounted by root alone');
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', disk]);
    rmSync(disk, { recursive: true, force: true });
  });
  const full = await openTemporary(HOOKS, { records: { file: join(disk, 'records.db') } });
  onTestFinished(() => full.remove());
  const { runtime } = full;
  const fire = (sessionId: string) => runtime.fire('preToolUse', CALL, { sessionId });
  expect(await fire('closed')).toMatchObject({ action: 'modify' });
  mkdirSync(join(disk, 'other'));
  const filler = join(disk, 'other', 'filler');
  for (let bytes = 2 * 1024 * 1024; bytes >= 512; bytes /= 2) {
    try {
      writeFileSync(filler, Buffer.alloc(bytes), { flag: 'a' });
    } catch {
      // The rest of the disk is smaller.
    }
  }
  // The write-ahead log has room of its own until its last page is written.
  await expect
    .poll(async () => (await fire('closed')).code, { timeout: 20_000, interval: 5 })
    .toBe('unrecorded');
  expect(await fire('block')).toMatchObject({ action: 'block', reason: 'no' });
  expect(await fire('neutral')).toMatchObject({ action: 'allow' });
  rmSync(filler);
  expect(await fire('closed')).toMatchObject({ action: 'modify' });
});
