import { EXIT } from './exit-code.ts';

/**
 * Runs a command under a signal that SIGINT and SIGTERM abort, so that it can finish what it began. A second one ends
 * the process at once.
 */
export async function interruptible<T>(run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interrupted = new AbortController();
  const onSignal = (): void => {
    if (interrupted.signal.aborted) process.exit(EXIT.interrupted);
    interrupted.abort();
  };
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const name of signals) process.on(name, onSignal);
  try {
    return await run(interrupted.signal);
  } finally {
    for (const name of signals) process.off(name, onSignal);
  }
}
