import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';

import { SignalboxError } from '../../../sdk/errors.ts';
import { planScaffold, type ScaffoldPlan } from '../../scaffold/plan.ts';
import { scaffold } from '../../scaffold/scaffold.ts';
import { EXIT } from '../exit-code.ts';
import type { Session } from '../session.ts';
import { readVersion } from '../../version.ts';

/** Options of `signalbox new`. */
export interface NewFlags {
  /** Separated by commas. */
  readonly points?: string;
  readonly capabilities?: string;
  /** In `hooks/` of the current folder. */
  readonly local?: boolean;
  /** The system whose shape the module has. */
  readonly contract?: string;
  /** JavaScript instead of TypeScript. */
  readonly js?: boolean;
}

/** Writes a new hook: a package in a folder of its name, or a local hook. Asks for what is not given where a person is there. */
export async function runNew(
  { terminal }: Session,
  name: string,
  flags: NewFlags,
): Promise<number> {
  const points = flags.points ?? (await askPoints(flags));
  const plan = planScaffold({
    name,
    ...(points !== undefined && { points: listOf(points) }),
    ...(flags.contract !== undefined && { contract: flags.contract }),
    ...(flags.capabilities !== undefined && { capabilities: listOf(flags.capabilities) }),
  });
  const kind = flags.local === true ? 'local' : 'package';
  const language = flags.js === true ? 'js' : 'ts';
  const root = kind === 'local' ? resolve('.') : resolve(plan.folder);
  const isFresh = kind === 'local' && (await isMissing(join(root, 'package.json')));
  const files = scaffold(plan, { kind, language, version: readVersion(), isFresh });
  await requireEmpty(kind === 'local' ? join(root, 'hooks', plan.hook) : root);
  for (const [path, text] of files) {
    const file = join(root, path);
    await mkdir(dirname(file), { recursive: true });
    await writeNew(file, text, isFresh);
  }
  if (kind === 'local') await ensureRuntimeFile(root);
  if (terminal.isJson) terminal.json({ folder: root, files: [...files.keys()] });
  else
    for (const line of nextSteps(plan, kind, { files: [...files.keys()], isFresh }))
      terminal.line(line);
  return EXIT.ok;
}

/** What stands around a first local hook may be there already, such as .gitignore. */
async function writeNew(file: string, text: string, isKept: boolean): Promise<void> {
  await writeFile(file, text, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (!isKept || error.code !== 'EEXIST') throw error;
  });
}

async function isMissing(file: string): Promise<boolean> {
  return (await stat(file).catch(() => undefined)) === undefined;
}

/** Other contracts have points of their own: their default needs no question. */
async function askPoints({ contract }: NewFlags): Promise<string | undefined> {
  return contract === undefined ? ask('Points, separated by commas', 'preToolUse') : undefined;
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
  { hook, folder: own }: ScaffoldPlan,
  kind: 'package' | 'local',
  { files, isFresh }: { readonly files: readonly string[]; readonly isFresh: boolean },
): string[] {
  const folder = kind === 'package' ? `${own}/` : '';
  const written = files.map((file) => `  ${folder}${file}`);
  const local = isFresh ? ['  npm install', '  npm test'] : [];
  const next =
    kind === 'package'
      ? [`  cd ${own}`, '  npm install', '  npm test', '  npm run dev']
      : [...local, `  signalbox test --hook ${hook}`, `  signalbox dev hooks/${hook}`];
  return ['Written:', ...written, '', 'Next:', ...next];
}
