import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { FrameReader } from './frames.ts';
import type { LaunchPlan, Layer } from './launch.ts';
import {
  decodeFromChild,
  encodeToChild,
  MAX_FROM_CHILD_BYTES,
  PROTOCOL,
  type FromChild,
  type ToChild,
} from './messages.ts';

/** Why a process is gone: the host killed it, it broke the protocol, or it died by itself. */
export type Exit = 'killed' | 'garbage' | 'died';

/** Who is told what a child says. */
export interface ChildListener {
  readonly onMessage: (message: FromChild) => void;
  readonly onExit: (exit: Exit) => void;
}

/** What a child has to come up with, and for how long it may try. */
export interface StartBounds {
  readonly buildHash: string;
  readonly startMs: number;
  /** Aborted when nobody wants it any more: it ends at once. */
  readonly signal: AbortSignal;
  /** Given the code caches that it made. */
  readonly onCaches?: (caches: string) => void;
}

/** Most that is kept of what a child writes to stderr, in bytes: V8's last words. */
const STDERR_BYTES = 4096;

/** Starts what a plan says, with the channel as its only open descriptors. */
function spawnPlan(plan: LaunchPlan): ChildProcessByStdio<Writable, Readable, Readable> {
  const nothing = plan.inheritable.length === 0 ? -1 : openSync('/dev/null', 'r');
  const stdio: ('pipe' | 'ignore' | number)[] = ['pipe', 'pipe', 'pipe'];
  for (const fd of plan.inheritable) {
    while (stdio.length < fd) stdio.push('ignore');
    stdio.push(nothing);
  }
  try {
    const process = spawn(plan.command, plan.args, {
      env: plan.env,
      cwd: '/',
      stdio,
      windowsHide: true,
    });
    // The first three are pipes, whatever comes after them.
    return process as ChildProcessByStdio<Writable, Readable, Readable>;
  } finally {
    if (nothing >= 0) closeSync(nothing);
  }
}

/** One child process and the channel to it. Whatever it says may be hostile. */
export class Child {
  readonly pid: number;
  readonly layers: readonly Layer[];
  /** Settles when the kernel has taken the process away. */
  readonly gone: Promise<void>;
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly #reader = new FrameReader(MAX_FROM_CHILD_BYTES);
  #listener: ChildListener | undefined;
  #exit: Exit | undefined;
  #isGone = false;
  #lastWords = '';

  private constructor(
    process: ChildProcessByStdio<Writable, Readable, Readable>,
    layers: readonly Layer[],
  ) {
    this.#process = process;
    this.pid = process.pid ?? 0;
    this.layers = layers;
    this.gone = new Promise((resolve) => void process.once('exit', () => resolve()));
  }

  /**
   * Starts a child and waits for its first message. Rejects with an error whose `name` is `Ended` when the process
   * ended by itself (this way to start does not work here), `Slow` when it did not come up in time, `Unwanted` when
   * nobody waits for it any more.
   */
  static start(plan: LaunchPlan, bounds: StartBounds): Promise<Child> {
    const { buildHash, startMs, signal } = bounds;
    return new Promise((resolve, reject) => {
      const process = spawnPlan(plan);
      const child = new Child(process, plan.layers);
      const timer = setTimeout(() => fail('Slow'), startMs);
      const onAbort = (): void => fail('Unwanted');
      signal.addEventListener('abort', onAbort);
      const settle = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
      };
      const fail = (name: 'Slow' | 'Ended' | 'Foreign' | 'Unwanted'): void => {
        settle();
        child.kill();
        reject(Object.assign(new Error(child.#lastWords), { name }));
      };
      child.#listener = {
        onMessage(message) {
          const isRight =
            message.type === 'ready' &&
            message.protocol === PROTOCOL &&
            message.buildHash === buildHash;
          if (!isRight) return fail('Foreign');
          settle();
          if (message.caches !== '') bounds.onCaches?.(message.caches);
          resolve(child);
        },
        onExit: () => fail('Ended'),
      };
      process.on('error', (error) => child.#end(error.message));
      process.on('exit', () => child.#end(''));
      // An EPIPE is told by the exit.
      process.stdin.on('error', () => undefined);
      process.stdout.on('data', (chunk: Buffer) => child.#take(chunk));
      process.stderr.on('data', (chunk: Buffer) => {
        child.#lastWords = (child.#lastWords + chunk.toString('latin1')).slice(-STDERR_BYTES);
      });
    });
  }

  /** Sets who is told from now on. */
  listen(listener: ChildListener): void {
    this.#listener = listener;
    if (this.#isGone) listener.onExit(this.#exit ?? 'died');
  }

  get isAlive(): boolean {
    return !this.#isGone && this.#exit === undefined;
  }

  /** Sends messages, all in one write. */
  send(...messages: readonly ToChild[]): void {
    if (!this.isAlive) return;
    const [first, ...rest] = messages.map(encodeToChild);
    if (first === undefined) return;
    this.#process.stdin.write(rest.length === 0 ? first : Buffer.concat([first, ...rest]));
  }

  /** Ends the process whatever it does. `onExit` follows when the kernel has taken it away. */
  kill(exit: Exit = 'killed'): void {
    if (this.#isGone) return;
    this.#exit ??= exit;
    // Its end is near, and may be waited for.
    this.#process.ref();
    this.#process.kill('SIGKILL');
  }

  /** Lets the host's own process end while this child idles. */
  unref(): void {
    this.#process.unref();
    for (const stream of [this.#process.stdin, this.#process.stdout, this.#process.stderr]) {
      // They are sockets, which their types do not say.
      (stream as unknown as { unref?: () => void }).unref?.();
    }
  }

  #take(chunk: Buffer): void {
    if (!this.isAlive) return;
    const isWhole = this.#reader.push(chunk, (frame) => {
      const message = decodeFromChild(frame);
      if (message === undefined) this.kill('garbage');
      else if (this.isAlive) this.#listener?.onMessage(message);
    });
    if (!isWhole) this.kill('garbage');
  }

  #end(words: string): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#lastWords += words;
    for (const stream of [this.#process.stdin, this.#process.stdout, this.#process.stderr])
      stream.destroy();
    this.#listener?.onExit(this.#exit ?? 'died');
  }
}
