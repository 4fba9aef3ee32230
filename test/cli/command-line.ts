import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { placeEntries } from '../host/child-entries.ts';
import { runWithin } from './command-within.ts';

/** The sources' entry, as `npm run signalbox` starts it. */
export const MAIN = resolve(import.meta.dirname, '../../scripts/signalbox.mjs');

/** How a command line ended. */
export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A folder of a test with a runtime.json. The maker calls `remove`. */
export interface Workplace {
  readonly folder: string;
  /** Writes a file into the folder and gives back its path. */
  write(name: string, content: string): Promise<string>;
  /** Runs a command line in the folder to its end, within this process: a process for each takes most of a second. */
  run(args: readonly string[], input?: string): Promise<Ended>;
  /** Runs a command line in the folder to its end, as a process of its own. */
  runAlone(args: readonly string[], input?: string): Promise<Ended>;
  /** Runs a line of a shell in which `$SB` is the command. */
  shell(line: string): Promise<Ended>;
  /** Starts a command line that goes on. */
  start(args: readonly string[]): ChildProcess;
  remove(): Promise<void>;
}

/** Makes a folder with files, by their paths in it. */
export async function openWorkplace(
  files: Readonly<Record<string, string | object>>,
): Promise<Workplace> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-cli-'));
  const write = async (name: string, content: string): Promise<string> => {
    const file = join(folder, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
    return file;
  };
  for (const [name, content] of Object.entries(files)) {
    await write(name, typeof content === 'string' ? content : JSON.stringify(content));
  }
  await placeEntries(folder);
  const env = { ...process.env, SB: `${process.execPath} ${CONDITIONS} ${MAIN}` };
  const options = { cwd: folder, env };
  return {
    folder,
    write,
    run: (args, input = '') => runWithin({ folder, args, input }),
    runAlone(args, input = '') {
      const child = spawn(process.execPath, [CONDITIONS, MAIN, ...args], options);
      child.stdin.end(input);
      return ended(child);
    },
    shell: (line) => ended(spawn('sh', ['-c', line], options)),
    start: (args) => spawn(process.execPath, [CONDITIONS, MAIN, ...args], options),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

const CONDITIONS = '--conditions=@signalbox/source';

/** Everything that a process wrote, once it has ended. */
export async function ended(child: ChildProcess): Promise<Ended> {
  if (child.stdout === null || child.stderr === null) throw new Error('not piped');
  const closed = new Promise<number | null>((done) => child.once('close', (code) => done(code)));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await closed, out, err };
}

/** Resolves with the first line of standard output that fits. */
export function lineOf(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((found, failed) => {
    let seen = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      seen += chunk.toString();
      const line = seen.split('\n').find((candidate) => pattern.test(candidate));
      if (line !== undefined) found(line);
    });
    child.once('close', () => failed(new Error(`ended without such a line: ${seen}`)));
  });
}
