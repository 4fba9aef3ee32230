import { pathToFileURL } from 'node:url';
import {
  MessageChannel,
  receiveMessageOnPort,
  type MessagePort,
  type Worker,
} from 'node:worker_threads';
import type { Piscina as Pool } from 'piscina';
import { BUILD_HASH } from 'signalbox:build';
import { FrameReader } from '../frames.ts';
import { unseal } from '../guest/native.ts';
import {
  decodeToChild,
  encodeFromChild,
  MAX_TO_CHILD_BYTES,
  PROTOCOL,
  type FromChild,
  type HookDefinition,
  type Outcome,
  type ToChild,
} from '../messages.ts';
import { captureKill } from '../isolate/lock.ts';
import type { FromThread, ThreadTask, ToThread } from './thread.ts';

// The entry of the local hooks' process: argv holds the thread's entry, the path of piscina and the number of threads.
const [, , threadFile = '', piscinaFile = '', threads = '2'] = process.argv;
const die = captureKill();
const { default: Piscina } = (await import(pathToFileURL(piscinaFile).href)) as {
  default: typeof Pool;
};
const pool = new Piscina({
  filename: pathToFileURL(threadFile).href,
  minThreads: Number(threads),
  maxThreads: Number(threads),
  idleTimeout: 60_000,
  resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 },
});

/** One task in a thread. */
interface Job {
  readonly port: MessagePort;
  readonly abort: AbortController;
  threadId: number | undefined;
}

const hooks = new Map<number, HookDefinition>();
const jobs = new Map<number, Job>();
// Hook code may print; the channel is on stdout, which the process takes for itself.
const write = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;

const send = (message: FromChild): void => void write(encodeFromChild(message));

function take(message: ToChild): void {
  switch (message.type) {
    case 'open':
      hooks.set(message.place, message.hook);
      return warm(message.id, message.hook);
    case 'run': {
      const hook = hooks.get(message.place);
      if (hook === undefined) return settle(message.id, 'crash', '');
      return start(message.id, hook, { ops: message.ops, input: message.input });
    }
    case 'next':
    case 'behind':
      // Runs are sent ahead to isolates alone.
      return die();
    case 'deliver':
      return jobs
        .get(message.id)
        ?.port.postMessage({ seq: message.seq, text: message.text } satisfies ToThread);
    case 'cancel':
      return stop(message.id);
    case 'drop':
      hooks.delete(message.place);
      return;
  }
}

/** Loads a hook in every thread at once, so that no run pays for it; a thread that is started later loads it then. */
function warm(id: number, hook: HookDefinition): void {
  const others = Array.from({ length: Number(threads) - 1 }, () => {
    const { port1, port2 } = new MessageChannel();
    port1.close();
    return pool.run({ port: port2, hook } satisfies ThreadTask, { transferList: [port2] });
  });
  // The first task's end is the answer; the others would say the same.
  void Promise.allSettled(others);
  start(id, hook);
}

function start(id: number, hook: HookDefinition, run?: ThreadTask['run']): void {
  const { port1, port2 } = new MessageChannel();
  const job: Job = { port: port1, abort: new AbortController(), threadId: undefined };
  jobs.set(id, job);
  port1.on('message', (message: FromThread) => hear(id, job, message));
  const task: ThreadTask = { port: port2, hook, ...(run === undefined ? {} : { run }) };
  pool.run(task, { transferList: [port2], signal: job.abort.signal }).then(
    (sealed: unknown) => {
      const end = unseal(sealed) ?? { outcome: 'crash' as const, text: '' };
      finish(id, end.outcome, end.text);
    },
    (error: unknown) => {
      if (job.abort.signal.aborted) return;
      const isMemory = (error as { code?: unknown } | null)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
      finish(id, isMemory ? 'memory' : 'crash', '');
    },
  );
}

/** Passes on what a thread says while it works. */
function hear(id: number, job: Job, message: FromThread): void {
  if (jobs.get(id) !== job) return;
  switch (message.type) {
    case 'started':
      job.threadId = message.threadId;
      return;
    case 'bridge':
      return send({ type: 'bridge', id, seq: message.seq, text: message.text });
    case 'log':
      return send({ type: 'log', id, line: message.line });
  }
}

function finish(id: number, outcome: Outcome, text: string): void {
  const job = jobs.get(id);
  // It was cancelled, and that has been said.
  if (job === undefined) return;
  // The answer comes by another channel and may overtake what the thread said before it.
  for (
    let left = receiveMessageOnPort(job.port);
    left !== undefined;
    left = receiveMessageOnPort(job.port)
  ) {
    hear(id, job, left.message as FromThread);
  }
  job.port.close();
  jobs.delete(id);
  settle(id, outcome, text);
}

function settle(id: number, outcome: Outcome, text: string): void {
  send({ type: 'settle', id, isQuick: false, outcome, text });
}

/** Ends a task with its thread, and says so when the thread is really gone. */
function stop(id: number): void {
  const job = jobs.get(id);
  if (job === undefined) return send({ type: 'stopped', id });
  jobs.delete(id);
  const thread = (pool.threads as Worker[]).find((each) => each.threadId === job.threadId);
  if (thread === undefined) send({ type: 'stopped', id });
  else thread.once('exit', () => send({ type: 'stopped', id }));
  job.abort.abort();
  job.port.close();
}

const reader = new FrameReader(MAX_TO_CHILD_BYTES);
process.stdin.on('data', (chunk: Buffer) => {
  const isWhole = reader.push(chunk, (frame) => {
    const message = decodeToChild(frame);
    if (message !== undefined) take(message);
  });
  if (!isWhole) die();
});
process.stdin.on('end', die);
process.stdout.on('error', die);
send({ type: 'ready', protocol: PROTOCOL, buildHash: BUILD_HASH });
