import { randomUUID } from 'node:crypto';
import { renameSync, rmSync, writeFileSync } from 'node:fs';

/** Another process may write the same file at the same time: whole files appear by rename, and the last one wins. */
export function writeWhole(file: string, text: string): void {
  const draft = `${file}.${randomUUID()}.tmp`;
  try {
    writeFileSync(draft, text, { mode: 0o644 });
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}
