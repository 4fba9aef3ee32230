import type { AuditRow } from './audit-report.ts';

const HEAD = [
  'package',
  'version',
  'hook',
  'capability',
  'declared',
  'granted',
  'used',
  'last_used',
] as const;

/** The matrix as CSV with a head, lines ended as RFC 4180 says. */
export function matrixCsv(rows: readonly AuditRow[]): string {
  const lines = rows.map((row) => [
    row.package,
    row.version,
    row.hook,
    row.capability,
    row.isDeclared ? 'yes' : 'no',
    row.isGranted ? 'yes' : 'no',
    String(row.used?.count ?? 0),
    row.used?.lastDay ?? '',
  ]);
  return [HEAD, ...lines].map((cells) => `${cells.map(cell).join(',')}\r\n`).join('');
}

/** Spreadsheets run what begins like a formula, and names are texts of others. https://owasp.org/www-community/attacks/CSV_Injection */
function cell(text: string): string {
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]|^'/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
