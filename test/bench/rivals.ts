import { spawn, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import http from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import { timed, type Subject } from './harness.ts';

type OnEnd = (end: () => unknown) => void;

const DECIDE = `const decide = (payload) =>
  String(payload.args?.command ?? '').includes('mkfs') ? { action: 'block', reason: 'no' } : { action: 'allow' };
`;

/** isolated-vm's own `apply`, in a process of its own that has nothing else to do. */
export async function rawIsolateSubject(input: string, onEnd: OnEnd): Promise<Subject> {
  const file = fileURLToPath(new URL('raw-isolate.ts', import.meta.url));
  const child = fork(file, { execArgv: ['--no-node-snapshot'], serialization: 'advanced' });
  onEnd(() => child.disconnect());
  await once(child, 'message');
  return {
    name: 'isolated-vm apply, in process',
    async sample(calls) {
      child.send({ input, calls });
      const [times] = (await once(child, 'message')) as [number[]];
      return times;
    },
  };
}

/** A task of a warm worker thread: the hook gets the payload as an object. */
export async function piscinaSubject(
  folder: string,
  payload: object,
  onEnd: OnEnd,
): Promise<Subject> {
  const filename = join(folder, 'piscina-hook.mjs');
  await writeFile(filename, `${DECIDE}export default (payload) => decide(payload);\n`);
  const pool = new Piscina({ filename, minThreads: 1, maxThreads: 1 });
  onEnd(() => pool.destroy());
  return timed('piscina, a round trip', () => pool.run(payload));
}

/** A Worker of workerd on this machine, over one connection that is kept alive. */
export async function workerdSubject(
  folder: string,
  input: string,
  onEnd: OnEnd,
): Promise<Subject> {
  const place = { socketPath: join(folder, 'workerd.sock') };
  await startWorkerd(folder, place, onEnd);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  onEnd(() => agent.destroy());
  return timed('workerd, HTTP kept alive', () => post({ ...place, method: 'POST', agent }, input));
}

/** Where a Worker of workerd listens. */
export type WorkerdPlace =
  { readonly socketPath: string } | { readonly host: string; readonly port: number };

/** Starts a Worker that decides on the payload it is sent, whatever the path, and waits until it does. */
export async function startWorkerd(
  folder: string,
  place: WorkerdPlace,
  onEnd: OnEnd,
): Promise<void> {
  const address = 'port' in place ? `${place.host}:${place.port}` : `unix:${place.socketPath}`;
  const config = `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [ (name = "hook", worker = .hook) ],
  sockets = [ (name = "http", address = "${address}", http = (), service = "hook") ]
);
const hook :Workerd.Worker = (
  modules = [ (name = "hook", esModule = embed "workerd-hook.js") ],
  compatibilityDate = "2026-11-01"
);
`;
  await writeFile(join(folder, 'workerd.capnp'), config);
  await writeFile(
    join(folder, 'workerd-hook.js'),
    `${DECIDE}export default {
  async fetch(request) {
    const { payload } = JSON.parse(await request.text());
    return new Response(JSON.stringify(decide(payload)));
  },
};
`,
  );
  const { resolve } = createRequire(import.meta.url);
  const child = spawn(
    process.execPath,
    [resolve('workerd/bin/workerd'), 'serve', join(folder, 'workerd.capnp')],
    { stdio: ['ignore', 'inherit', 'inherit'], detached: true },
  );
  onEnd(() => endGroup(child));
  const options = { ...place, method: 'POST' };
  for (let tries = 0; ; tries += 1) {
    try {
      await post(options, JSON.stringify({ payload: {} }));
      return;
    } catch (error) {
      if (tries === 100) throw error;
      await new Promise((resolve) => void setTimeout(resolve, 50));
    }
  }
}

function endGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL');
}

function post(options: http.RequestOptions, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-length': Buffer.byteLength(body) };
    const request = http.request({ ...options, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => void (text += chunk));
      response.on('end', () => resolve(text));
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** A process of Node.js for each call: input on stdin, decision on stdout, as command hooks have it. */
export function commandSubject(folder: string, input: string): Subject {
  const script = `${DECIDE}let text = '';
process.stdin.on('data', (chunk) => (text += chunk)).on('end', () => {
  process.stdout.write(JSON.stringify(decide(JSON.parse(text).payload)));
});`;
  return timed('a command, spawned for each call', async () => {
    const child = spawn(process.execPath, ['-e', script], {
      cwd: folder,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let answer = '';
    child.stdout.on('data', (chunk: Buffer) => void (answer += chunk.toString()));
    child.stdin.end(input);
    await once(child, 'close');
    JSON.parse(answer);
  });
}
