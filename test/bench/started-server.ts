import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { MAIN } from '../cli/command-line.ts';

/** A `signalbox start` in a process of its own. The maker stops it. */
export interface StartedServer {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** What a server is started with besides a configuration. */
export interface ServerStart {
  readonly folder: string;
  readonly config: object;
  /** A file whose calls it decides before it listens; none, if absent. */
  readonly recording?: string;
}

/** Writes the configuration to its folder and starts a server there, as a user does. */
export async function startServer(start: ServerStart): Promise<StartedServer> {
  const { folder, config, recording } = start;
  await writeFile(join(folder, 'runtime.json'), JSON.stringify(config));
  const replay = recording === undefined ? ['--no-replay'] : ['--replay', recording];
  const args = ['--conditions=@signalbox/source', MAIN, 'start', ...replay, '--port', '0'];
  // What it logs of decisions goes nowhere, as it would to a file.
  const child = spawn(process.execPath, args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  let url: string | undefined;
  for await (const line of createInterface(child.stdout)) {
    url = /^Listening on (http:\S+)/.exec(line)?.[1];
    if (url !== undefined) break;
  }
  if (url === undefined || child.pid === undefined) {
    await stop();
    throw new Error('The server did not start');
  }
  // Nobody reads on, and a full pipe would hold it up.
  child.stdout.resume();
  return { url, pid: child.pid, stop };
}
