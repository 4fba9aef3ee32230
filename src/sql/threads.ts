import { getCompileCacheDir } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';
import { threadFile } from '../../host/home.ts';

const ENTRY = pathToFileURL(threadFile('src/sql/worker'));

/** Starts a thread of a database, which waits to be told of its file. The caller ends it. */
export function startThread(): Worker {
  const options: WorkerOptions = { env: {}, name: 'signalbox-database' };
  const folder = getCompileCacheDir();
  if (folder === undefined) return new Worker(ENTRY, options);
  // A thread has no part in the compiled code that its process keeps unless it asks for it before it imports anything.
  const [cache, file] = [folder, ENTRY.href].map((text) => JSON.stringify(text));
  const boot = `require('node:module').enableCompileCache(${cache}); import(${file});`;
  return new Worker(boot, { ...options, eval: true });
}

/** Threads that come up while it is not yet known which files they are for. */
export interface DatabaseThreads {
  /** One of them, or a new one. The taker ends it. */
  take(): Worker;
  /** Ends those that nobody took. */
  close(): Promise<void>;
}

export function startThreads(count: number): DatabaseThreads {
  const threads = Array.from({ length: count }, () => {
    // What it dies of is told when it is missed.
    const thread = startThread().on('error', ignore);
    // None of them keeps a program alive before somebody has use for it.
    thread.unref();
    return thread;
  });
  return {
    take() {
      const thread = threads.pop();
      if (thread === undefined || thread.threadId === GONE) return startThread();
      thread.ref();
      return thread.off('error', ignore);
    },
    async close() {
      await Promise.all(threads.splice(0).map((thread) => thread.terminate()));
    },
  };
}

/** The id of a thread that has ended. */
const GONE = -1;
const ignore = (): void => undefined;
