import { createInterface } from 'node:readline/promises';
import type { Session } from './session.ts';

/** Whether a person can be asked: both ends are a terminal, and no machine reads the results. */
export function canAsk({ terminal }: Session): boolean {
  return process.stdin.isTTY && process.stderr.isTTY && !terminal.isJson;
}

/** Asks a person; everything but a clear yes is a no, an interruption included. */
export async function askYes({ terminal, signal }: Session, question: string): Promise<boolean> {
  terminal.progress();
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question(`${question} [y/N] `, { signal });
    return /^\s*y(?:es)?\s*$/i.test(answer);
  } catch {
    return false;
  } finally {
    lines.close();
  }
}
