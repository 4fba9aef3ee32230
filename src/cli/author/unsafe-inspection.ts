import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { moduleFile } from '../../../host/home.ts';
import { SignalboxError } from '../../../sdk/errors.ts';
import { readFixturesIn } from '../../testing/fixtures.ts';
import type { HookPlace } from '../../testing/hook-place.ts';
import type { Terminal } from '../terminal.ts';

const RUNNER = moduleFile('src/testing/unsafe-runner');

/**
 * Runs the fixtures of a hook without any sandbox, with the rights of the user, in a process that waits for a debugger. Only
 * for code that one would run by hand.
 */
export async function inspectUnsafely(
  terminal: Terminal,
  place: HookPlace,
  signal: AbortSignal,
): Promise<number> {
  const { handler, manifest } = place;
  if (handler === undefined) {
    throw new SignalboxError('test_setup', { detail: `"${manifest.name}" has no module` });
  }
  if (manifest.contract !== 'signalbox') {
    const detail = `--inspect is for hooks of the contract "signalbox", and this is "${manifest.contract}"`;
    throw new SignalboxError('test_setup', { detail });
  }
  terminal.note('UNSAFE: the hook runs without a sandbox, with all the rights that you have here.');
  terminal.note('Open chrome://inspect or attach your editor; it stops at its first line.');
  const task = { handler, manifest, fixtures: await readFixturesIn(place) };
  const child = spawn(
    process.execPath,
    [...process.execArgv, '--inspect-brk=127.0.0.1:0', RUNNER],
    {
      stdio: ['pipe', 'inherit', 'inherit'],
      signal,
    },
  );
  child.on('error', () => undefined);
  child.stdin.end(JSON.stringify(task));
  const [code] = (await once(child, 'close')) as [number | null];
  return code ?? 1;
}
