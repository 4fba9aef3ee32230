import { pathToFileURL } from 'node:url';
import { receiveMessageOnPort, type Worker } from 'node:worker_threads';
import type { Piscina as Pool } from 'piscina';
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
import type { FromThread, Hello, ThreadTask, ToThread } from './thread.ts';

// The entry of the local hooks' process: argv holds the thread's entry, the path of piscina and the number of threads.
const [, , threadFile = '', piscinaFile = '', count = '2'] = process.argv;
const die = captureKill();
const { default: Piscina } = (await import(pathToFileURL(piscinaFile).href)) as {
  default: typeof Pool;
};
const pool = new Piscina({
  filename: pathToFileURL(threadFile).href,
  minThreads: Number(count),
  maxThreads: Number(count),
  idleTimeout: 60_000,
  resourceLimits: { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 },
});

// A thread says hello before it takes its first task.
pool.on('message', (hello: Hello) => {
  threads.set(hello.threadId, hello);
  hello.port.on('message', (message: FromThread) => hear(hello, message));
  hello.port.on('close', () => threads.delete(hello.threadId));
});

/** One task in a thread. */
interface Job {
  readonly abort: AbortController;
  /** The thread that has called a bridge for it. */
  caller: Hello | undefined;
}

/** The id of a task whose end nobody waits for. */
const NOBODY = -1;

const hooks = new Map<number, HookDefinition>();
const jobs = new Map<number, Job>();
/** The threads that are up. */
const threads = new Map<number, Hello>();
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
      if (hook === undefined) return finish(message.id, 'crash', '');
      start(message.id, hook, { ops: message.ops, input: message.input });
      return;
    }
    case 'next':
    case 'behind':
      // Runs are sent ahead to isolates alone.
      return die();
    case 'deliver': {
      const { id, seq, text } = message;
      return jobs.get(id)?.caller?.port.postMessage({ id, seq, text } satisfies ToThread);
    }
    case 'cancel':
      return stop(message.id);
    case 'drop':
      hooks.delete(message.place);
      return;
  }
}

/**
 * Loads a hook in every thread at once, so that no run pays for it; a thread that is started later loads it then. Who gives
 * up the load ends it in all of them.
 */
function warm(id: number, hook: HookDefinition): void {
  const signal = start(id, hook);
  const others = Array.from({ length: Number(count) - 1 }, () =>
    pool.run({ id: NOBODY, hook } satisfies ThreadTask, { signal }),
  );
  // The first task's end is the answer; the others would say the same.
  void Promise.allSettled(others);
}

/** Returns what its cancelling aborts. */
function start(id: number, hook: HookDefinition, run?: ThreadTask['run']): AbortSignal {
  const job: Job = { abort: new AbortController(), caller: undefined };
  jobs.set(id, job);
  const task: ThreadTask = run === undefined ? { id, hook } : { id, hook, run };
  pool.run(task, { signal: job.abort.signal }).then(
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
  return job.abort.signal;
}

/** Passes on what a thread says while it works. */
function hear(thread: Hello, message: FromThread): void {
  const job = jobs.get(message.id);
  // Its task is over.
  if (job === undefined) return;
  job.caller = thread;
  send(message);
}

function finish(id: number, outcome: Outcome, text: string): void {
  // It was cancelled, and that has been said.
  if (!jobs.has(id)) return;
  // The answer comes by another channel and may overtake what the thread said before it.
  for (const thread of threads.values()) {
    for (
      let left = receiveMessageOnPort(thread.port);
      left !== undefined;
      left = receiveMessageOnPort(thread.port)
    ) {
      hear(thread, left.message as FromThread);
    }
  }
  jobs.delete(id);
  send({ type: 'settle', id, isQuick: false, outcome, text });
}

/** Ends a task with its thread, and says so when the thread is really gone. */
function stop(id: number): void {
  const job = jobs.get(id);
  if (job === undefined) return send({ type: 'stopped', id });
  jobs.delete(id);
  const at = [...threads.values()].find(({ task }) => Atomics.load(task, 0) === (id | 0));
  const thread = (pool.threads as Worker[]).find(({ threadId }) => threadId === at?.threadId);
  if (thread === undefined) send({ type: 'stopped', id });
  else thread.once('exit', () => send({ type: 'stopped', id }));
  job.abort.abort();
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
send({ type: 'ready', protocol: PROTOCOL, buildHash: BUILD_HASH, caches: '' });
