import { createInterface } from 'node:readline/promises';
import type { ApprovalView } from '../approvals/approval.ts';
import { printable } from '../config/printable.ts';
import { questionLines } from './question-lines.ts';
import type { Terminal } from './terminal.ts';

/** Puts a question before the person at the terminal and gives back what that person typed. */
export type Asker = (view: ApprovalView, stop: AbortSignal) => Promise<string>;

/** Opens the person at the terminal to questions; none where nobody sits there. */
export function createAsker(terminal: Terminal): Asker | undefined {
  const isAttended = !terminal.isJson && process.stdin.isTTY && process.stderr.isTTY;
  if (!isAttended) return undefined;
  let last: Promise<unknown> = Promise.resolve();
  return (view, stop) => {
    // One after the other: what is typed answers the question that it stands under, and no other.
    const answer = last.then(() => ask(terminal, view, stop));
    last = answer.catch(() => undefined);
    return answer;
  };
}

/** Whatever is not one of the answers that grant, denies. */
async function ask(terminal: Terminal, view: ApprovalView, stop: AbortSignal): Promise<string> {
  const { question } = view;
  if (question === undefined) return 'Deny';
  stop.throwIfAborted();
  for (const line of questionLines(question)) terminal.note(line);
  const prompt = `${question.options.map((option) => printable(option, 100)).join(' / ')}? `;
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await lines.question(prompt, { signal: stop })).trim();
  } finally {
    lines.close();
  }
}
