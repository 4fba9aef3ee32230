import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';

import { SignalboxError } from '../../../sdk/errors.ts';
import { planScaffold, type ScaffoldPlan } from '../../scaffold/plan.ts';
import { scaffold } from '../../scaffold/scaffold.ts';
import { EXIT } from '../exit-code.ts';
import type { Session } from '../session.ts';
import { readVersion } from '../version.ts';

/** Options of `signalbox new`. */
export interface NewFlags {
  /** Separated by commas. */
  readonly points?: string;
  readonly capabilities?: string;
  /** In `hooks/` of the current folder. */
  readonly local?: boolean;
  /** JavaScript; a package is TypeScript otherwise. */
  readonly js?: boolean;
}

/** Writes a new hook: a package in a folder of its name, or a local hook. Asks for what is not given where a person is there. */
export async function runNew(
  { terminal }: Session,
  name: string,
  flags: NewFlags,
): Promise<number> {
  const points = flags.points ?? (await ask('Points, separated by commas', 'preToolUse'));
  const plan = planScaffold({
    name,
    ...(points !== undefined && { points: listOf(points) }),
    ...(flags.capabilities !== undefined && { capabilities: listOf(flags.capabilities) }),
  });
  const kind = flags.local === true ? 'local' : 'package';
  const language = flags.js === true ? 'js' : 'ts';
  const files = scaffold(plan, { kind, language, version: readVersion() });
  const root = kind === 'local' ? resolve('.') : resolve(plan.hook);
  await requireEmpty(kind === 'local' ? join(root, 'hooks', plan.hook) : root);
  for (const [path, text] of files) {
    const file = join(root, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { flag: 'wx' });
  }
  if (kind === 'local') await ensureRuntimeFile(root);
  if (terminal.isJson) terminal.json({ folder: root, files: [...files.keys()] });
  else for (const line of nextSteps(plan, kind, [...files.keys()])) terminal.line(line);
  return EXIT.ok;
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Nothing where nobody is there to answer. */
async function ask(question: string, fallback: string): Promise<string | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await reader.question(`${question} (${fallback}): `);
    return answer.trim() === '' ? fallback : answer;
  } finally {
    reader.close();
  }
}

async function requireEmpty(folder: string): Promise<void> {
  const facts = await stat(folder).catch(() => undefined);
  if (facts === undefined) return;
  const names = facts.isDirectory() ? await readdir(folder) : [''];
  if (names.length === 0) return;
  const shown = relative(process.cwd(), folder) || '.';
  const detail = `"${shown}" is there already: take another name, or remove it`;
  throw new SignalboxError('usage', { detail });
}

/** A folder with local hooks is a runtime once it has a runtime.json. */
async function ensureRuntimeFile(root: string): Promise<void> {
  await writeFile(join(root, 'runtime.json'), '{\n  "packages": []\n}\n', { flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
}

function nextSteps(
  { hook }: ScaffoldPlan,
  kind: 'package' | 'local',
  files: readonly string[],
): string[] {
  const folder = kind === 'package' ? `${hook}/` : '';
  const written = files.map((file) => `  ${folder}${file}`);
  const next =
    kind === 'package'
      ? [`  cd ${hook}`, '  npm install', '  npm test', '  npm run dev']
      : [`  signalbox test --hook ${hook}`, `  signalbox dev hooks/${hook}`];
  return ['Written:', ...written, '', 'Next:', ...next];
}
