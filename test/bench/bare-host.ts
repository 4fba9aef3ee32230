import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { encodeFrame, FrameReader } from '../../host/frames.ts';
import { launchPlans } from '../../host/launch.ts';
import { frameInput, writeContext, writeInput } from '../../src/fire/run-input.ts';

/** A bare child and what a host of it needs at the least. */
export interface Bare {
  /** One round trip. Calls may overlap; answers come in order. */
  call(input: string): Promise<string>;
  stop(): void;
  readonly pid: number;
}

/** Bundles the bare child into a folder that its user id can read; gives the file. */
export async function buildBare(folder: string): Promise<string> {
  const outfile = join(folder, 'bare-child.mjs');
  const entry = fileURLToPath(new URL('bare-child.ts', import.meta.url));
  await build({ entryPoints: [entry], outfile, bundle: true, format: 'esm', platform: 'node' });
  return outfile;
}

/** Starts a bare child as the real ones are started: the same programs before it, the same flags. */
export function startBare(isolate: string, serial = 1, isolates = 1): Promise<Bare> {
  const none = { worker: '', thread: '', sdk: '', buildHash: '' };
  const caches = { file: undefined, keep: () => undefined, drop: () => false };
  const [plan] = launchPlans('isolate', { ...none, isolate, caches });
  if (plan === undefined) throw new Error('There is no way to start a child here');
  const { command, args, env } = plan(serial);
  const child = spawn(command, [...args, String(isolates)], {
    env,
    cwd: '/',
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const waiting: ((text: string) => void)[] = [];
  const reader = new FrameReader(64 * 1024 * 1024);
  let lastId = 0;
  return new Promise((resolve, reject) => {
    child.on('exit', () => reject(new Error('The bare child ended')));
    const bare: Bare = {
      call: (input) =>
        new Promise((settle) => {
          waiting.push(settle);
          child.stdin.write(encodeFrame({ kind: 2, id: (lastId += 1), number: 1, text: input }));
        }),
      stop: () => void child.kill('SIGKILL'),
      pid: child.pid ?? 0,
    };
    child.stdout.on('data', (chunk: Buffer) =>
      reader.push(chunk, ({ kind, text }) => {
        if (kind === 1) resolve(bare);
        else waiting.shift()?.(text);
      }),
    );
  });
}

/** The text that a real child is sent for a call. */
export function inputOf(payload: object): string {
  const text = JSON.stringify({ timestamp: new Date().toISOString(), ...payload });
  const shared = writeContext({ sessionId: 's1' }, 's1');
  return writeInput(frameInput('look', 'preToolUse'), text, { shared, inputs: '{}' });
}
