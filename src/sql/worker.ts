import { parentPort } from 'node:worker_threads';
import { EngineError, openEngine, type Engine } from './engine.ts';
import {
  OPEN_ID,
  type SqlFailure,
  type BatchResult,
  type WorkerReply,
  type WorkerRequest,
  type WorkerStart,
} from './messages.ts';

// The entry of the database worker: SQLite blocks its thread, so it has one of its own.

if (parentPort === null) throw new Error('Not a worker');
const port = parentPort;
const reply = (message: WorkerReply): void => port.postMessage(message);

function start(given: WorkerStart): void {
  let engine: Engine;
  try {
    engine = openEngine(given);
  } catch (error) {
    reply({ kind: 'failed', id: OPEN_ID, failure: failureOf(error, 'be opened') });
    port.close();
    return;
  }
  port.on('message', (request: WorkerRequest) => answer(engine, request));
  reply({ kind: 'done', id: OPEN_ID, results: [] });
}

function answer(engine: Engine, request: WorkerRequest): void {
  try {
    reply({ kind: 'done', id: request.id, results: perform(engine, request) });
    if (request.kind === 'close') port.close();
  } catch (error) {
    reply({ kind: 'failed', id: request.id, failure: failureOf(error, VERBS[request.kind]) });
  }
}

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const DAMAGED: ReadonlySet<unknown> = new Set([11, 26]);

const VERBS = {
  run: 'run a query',
  batch: 'commit',
  check: 'be checked',
  close: 'be closed',
} as const;

function perform(engine: Engine, request: WorkerRequest): readonly BatchResult[] {
  switch (request.kind) {
    case 'run':
      checkDeadline(request.bounds.deadline);
      return [engine.run(request.statement, request.bounds)];
    case 'batch':
      checkDeadline(request.bounds.deadline);
      return engine.batch(request.runs, request.bounds);
    case 'check':
      return [engine.check(request.bounds)];
    case 'close':
      engine.close();
      return [];
  }
}

function checkDeadline(deadline: number): void {
  // The caller has been told that it failed, so it must not happen any more.
  if (Date.now() > deadline) throw new EngineError('failed', 'start the query in time');
}

function failureOf(error: unknown, verb: string): SqlFailure {
  if (error instanceof EngineError) return error.failure;
  // SQLite's own messages name tables and columns, never values.
  const text = error instanceof Error && 'errstr' in error ? error.message : 'unexpected error';
  const isDamaged = error instanceof Error && 'errcode' in error && DAMAGED.has(error.errcode);
  return isDamaged
    ? { reason: 'damaged', detail: text }
    : { reason: 'failed', detail: `${verb}: ${text}` };
}

port.once('message', start);
