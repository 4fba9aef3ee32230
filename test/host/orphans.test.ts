import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { tempFolder } from './hosts.ts';

const SPINNING_HOST = fileURLToPath(new URL('./spinning-host.ts', import.meta.url));
const CHILDREN = 10;

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test.each(['isolate', 'worker'] as const)(
  'when the host is killed while its %s processes spin, none of them goes on',
  async (kind) => {
    const host = spawn(
      process.execPath,
      ['--conditions=@signalbox/source', SPINNING_HOST, kind, String(CHILDREN), await tempFolder()],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    // Its one line comes when every hook is in its loop.
    const [line] = (await once(createInterface(host.stdout), 'line')) as [string];
    const pids = JSON.parse(line) as number[];
    expect(pids.filter(isThere)).toHaveLength(kind === 'isolate' ? CHILDREN : 1);
    host.kill('SIGKILL');
    await once(host, 'exit');
    await expect.poll(() => pids.filter(isThere), { timeout: 5000, interval: 50 }).toEqual([]);
  },
  120_000,
);
