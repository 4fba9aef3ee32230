import type { Worker } from 'node:worker_threads';
import { SignalboxError, type ErrorCode } from '../../sdk/errors.ts';
import {
  OPEN_ID,
  type Bounds,
  type SqlFailure,
  type BatchResult,
  type Statement,
  type StatementRun,
  type WorkerReply,
  type WorkerRequest,
  type WorkerStart,
} from './messages.ts';

/** Limits of one call. */
export interface CallBounds {
  readonly deadlineMs: number;
  readonly maxRows: number;
  readonly maxBytes: number;
}

interface PendingCall {
  readonly resolve: (results: readonly BatchResult[]) => void;
  readonly reject: (error: SignalboxError) => void;
  readonly timer: NodeJS.Timeout;
}

/** What a call asks of the worker. */
export type Work =
  | { readonly kind: 'run'; readonly statement: Statement }
  | { readonly kind: 'batch'; readonly runs: readonly StatementRun[] }
  | { readonly kind: 'check' }
  | { readonly kind: 'close' };

/** The runtime's end of the channel to the worker: every call is settled by a reply, its deadline or the worker's end. */
export class WorkerCalls {
  readonly #worker: Worker;
  readonly #file: string;
  readonly #pending = new Map<number, PendingCall>();
  #lastId = OPEN_ID;
  #isEnded = false;
  #closing: Promise<void> | undefined;

  constructor(start: WorkerStart, thread: Worker) {
    this.#file = start.file;
    this.#worker = thread;
    this.#worker.on('message', (reply: WorkerReply) => this.#settle(reply));
    this.#worker.on('error', () => this.#end());
    this.#worker.on('exit', () => this.#end());
    this.#worker.postMessage(start);
  }

  async opened(deadlineMs: number): Promise<void> {
    try {
      await this.#wait(OPEN_ID, deadlineMs);
    } catch (error) {
      await this.#worker.terminate();
      throw error;
    }
  }

  async send(
    work: Work,
    { deadlineMs, maxRows, maxBytes }: CallBounds,
  ): Promise<readonly BatchResult[]> {
    if (this.#isEnded || this.#closing !== undefined) throw ended();
    return this.#post(work, { deadline: Date.now() + deadlineMs, maxRows, maxBytes }, deadlineMs);
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async #finish(): Promise<void> {
    if (this.#isEnded) return;
    try {
      await this.#post({ kind: 'close' }, { deadline: 0, maxRows: 0, maxBytes: 0 }, CLOSE_MS);
    } finally {
      await this.#worker.terminate();
    }
  }

  #post(work: Work, bounds: Bounds, deadlineMs: number): Promise<readonly BatchResult[]> {
    this.#lastId += 1;
    const id = this.#lastId;
    const settled = this.#wait(id, deadlineMs);
    this.#worker.postMessage({ ...work, id, bounds } satisfies WorkerRequest & { bounds: Bounds });
    return settled;
  }

  #wait(id: number, deadlineMs: number): Promise<readonly BatchResult[]> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(id);
        reject(new SignalboxError('database', { detail: `answer within ${deadlineMs} ms` }));
      }, deadlineMs);
      this.#pending.set(id, { resolve, reject, timer });
    });
  }

  #settle(reply: WorkerReply): void {
    const call = this.#pending.get(reply.id);
    if (call === undefined) return;
    this.#pending.delete(reply.id);
    clearTimeout(call.timer);
    switch (reply.kind) {
      case 'done':
        return call.resolve(reply.results);
      case 'failed': {
        const { reason, detail } = reply.failure;
        return call.reject(new SignalboxError(CODES[reason], { file: this.#file, detail }));
      }
    }
  }

  #end(): void {
    this.#isEnded = true;
    for (const call of this.#pending.values()) {
      clearTimeout(call.timer);
      call.reject(ended());
    }
    this.#pending.clear();
  }
}

const CODES = {
  too_large: 'result_too_large',
  damaged: 'database_damaged',
  failed: 'database',
} as const satisfies Readonly<Record<SqlFailure['reason'], ErrorCode>>;

/** Longer than any call before it may take. */
const CLOSE_MS = 30_000;

function ended(): SignalboxError {
  return new SignalboxError('database', { detail: 'be used: it is closed' });
}
