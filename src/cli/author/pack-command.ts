import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';

import { SignalboxError } from '../../../sdk/errors.ts';
import { printable } from '../../config/printable.ts';
import { checkPackage } from '../../publish/check-package.ts';
import type { TarballFile } from '../../publish/tarball-files.ts';
import { EXIT } from '../exit-code.ts';
import type { Session } from '../session.ts';

/** Options of `signalbox pack`. */
export interface PackFlags {
  readonly check?: boolean;
}

/** Checks a hook package and, when nothing stands against it, writes the tarball that `npm publish` takes. */
export async function runPack(
  { terminal, signal }: Session,
  folder: string,
  { check: isCheck = false }: PackFlags,
): Promise<number> {
  const root = resolve(folder);
  terminal.progress('checking');
  const findings = await checkPackage(root, async (at) => (await npmPack(at, signal, true)).files);
  terminal.progress();
  const isFit = findings.every(({ level }) => level === 'warning');
  if (terminal.isJson) for (const finding of findings) terminal.json(finding);
  else if (findings.length > 0) {
    terminal.table(
      ['', 'where', 'what'],
      findings.map(({ level, place, text: what }) => [
        level,
        printable(place),
        printable(what, 500),
      ]),
    );
  }
  if (!isFit) {
    terminal.note('Not fit to publish.');
    return EXIT.problems;
  }
  if (isCheck) {
    terminal.note('Fit to publish.');
    return EXIT.ok;
  }
  const { filename } = await npmPack(root, signal, false);
  if (terminal.isJson) terminal.json({ file: filename });
  else terminal.line(`Written: ${filename}. "npm publish ${filename}" is yours to run.`);
  return EXIT.ok;
}

interface Packed {
  readonly filename: string;
  readonly files: readonly TarballFile[];
}

/** npm decides what a tarball holds: asking it is the only way to know. No script of the package runs. */
async function npmPack(root: string, signal: AbortSignal, isDry: boolean): Promise<Packed> {
  const args = ['pack', '--json', '--ignore-scripts', ...(isDry ? ['--dry-run'] : [])];
  // On Windows npm is a script of the shell; the arguments are our own.
  const isShell = process.platform === 'win32';
  const child = spawn('npm', args, {
    cwd: root,
    signal,
    shell: isShell,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const failed = new Promise<never>((_, reject) => child.once('error', reject));
  try {
    const output = Promise.all([text(child.stdout), text(child.stderr)]);
    const [out, err] = await Promise.race([output, failed]);
    const [packed] = JSON.parse(out) as readonly (Packed | undefined)[];
    if (packed !== undefined) return packed;
    throw new Error(err);
  } catch (error) {
    const detail = printable(error instanceof Error ? error.message : 'npm failed', 300);
    throw new SignalboxError('file_unreadable', { file: 'npm pack --json', detail });
  }
}
