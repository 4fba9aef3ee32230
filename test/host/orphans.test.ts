import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { tempFolder } from './hosts.ts';

const SPINNING_HOST = fileURLToPath(new URL('./spinning-host.ts', import.meta.url));
const CHILDREN = 10;
/** None goes on for longer than this after the kill, in milliseconds. */
const GONE_MS = 1000;
const POLL_MS = 20;
const GIVE_UP_MS = 30_000;
/** A machine on which a poll takes longer than this is not fast enough to hold anything to a second. */
const BUSY_POLL_MS = 100;

/** Whether a process can still do anything; one that has ended is listed until its new parent takes note. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (process.platform !== 'linux') return true;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !/^ [ZX]/.test(stat.slice(stat.lastIndexOf(')') + 1));
  } catch {
    return false;
  }
}

/** How long it takes until none runs, and how long a poll took at the most. */
async function untilGone(
  pids: readonly number[],
): Promise<{ readonly goneMs: number; readonly slowestPollMs: number }> {
  const startedAt = performance.now();
  let at = startedAt;
  let slowestPollMs = 0;
  while (pids.some(isRunning) && at - startedAt < GIVE_UP_MS) {
    await wait(POLL_MS);
    slowestPollMs = Math.max(slowestPollMs, performance.now() - at);
    at = performance.now();
  }
  return { goneMs: at - startedAt, slowestPollMs };
}

test.each(['isolate', 'worker'] as const)(
  'when the host is killed while its %s processes spin, none of them runs a second later',
  async (kind) => {
    const host = spawn(
      process.execPath,
      ['--conditions=@signalbox/source', SPINNING_HOST, kind, String(CHILDREN), await tempFolder()],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    // Its one line comes when every hook is in its loop.
    const [line] = (await once(createInterface(host.stdout), 'line')) as [string];
    const pids = JSON.parse(line) as number[];
    expect(pids.filter(isRunning)).toHaveLength(kind === 'isolate' ? CHILDREN : 1);
    host.kill('SIGKILL');
    const { goneMs, slowestPollMs } = await untilGone(pids);
    for (const pid of pids.filter(isRunning)) process.kill(pid, 'SIGKILL');
    expect(goneMs).toBeLessThan(GONE_MS * Math.max(1, slowestPollMs / BUSY_POLL_MS));
  },
  120_000,
);
