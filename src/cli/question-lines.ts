import type { ApprovalView } from '../approvals/approval.ts';
import { printable } from '../config/printable.ts';
import { safeJson } from './terminal.ts';

/** The most of one value that is shown; whoever needs more asks for JSON. */
const VALUE_CHARS = 4000;

/** A question for a person: who asks and why, exactly what would run, and what hooks changed in it. */
export function questionLines({
  prompt,
  reason,
  payload,
  changes,
}: NonNullable<ApprovalView['question']>): readonly string[] {
  const subject = payload['toolName'];
  const what = typeof subject === 'string' ? { [subject]: payload['args'] } : payload;
  return [
    printable(prompt, VALUE_CHARS),
    ...(reason === prompt ? [] : [`  because ${printable(reason, VALUE_CHARS)}`]),
    `  runs ${shown(what)}`,
    ...changes.map(
      ({ hook, path, before, after }) =>
        `  ${printable(hook, 200)} changed ${printable(path, 200)}: ${shown(before)} -> ${shown(after)}`,
    ),
  ];
}

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = safeJson(value);
  return text.length > VALUE_CHARS ? `${text.slice(0, VALUE_CHARS)}...` : text;
}
