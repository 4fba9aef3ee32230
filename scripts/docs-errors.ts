import { ERRORS, FAILURES, type ErrorRow } from '../sdk/errors.ts';
import { PLACEHOLDERS } from './error-placeholders.ts';
import { code, heading, table } from './markdown.ts';

const INTRODUCTION = `# Errors

Written from the table of errors (\`sdk/errors.ts\`) by \`npm run docs\`; do not edit.

Codes are permanent: match codes, never messages. *Blame* says who has to act.`;

const ON_FAILURES = `A failure is a run of a hook that gave no decision. It becomes one by the hook's failPolicy:
\`closed\` blocks with the reason \`Hook "<name>" failed (fail-closed)\`, \`open\` allows and is logged
loudly, \`abort\` blocks and ends the run. The code stands beside the verdict and in the record.`;

const ON_ERRORS = 'Bad input, bad configuration and bad requests. No hook ran.';

/** The text of docs/errors.md. */
export function errorsPage(): string {
  const parts = [
    INTRODUCTION,
    heading(2, 'Failures of a run'),
    ON_FAILURES,
    codeTable(FAILURES),
    heading(2, 'Other errors'),
    ON_ERRORS,
    codeTable(ERRORS),
    heading(2, 'Placeholders'),
    table(
      ['name', 'stands for'],
      Object.entries(PLACEHOLDERS).map(([name, meaning]) => [code(`{${name}}`), meaning]),
    ),
  ];
  return `${parts.join('\n\n')}\n`;
}

function codeTable(rows: Readonly<Record<string, ErrorRow>>): string {
  return table(
    ['code', 'blame', 'message', 'what to do'],
    Object.entries(rows).map(([name, row]) => [code(name), row.blame, row.message, row.hint]),
  );
}
