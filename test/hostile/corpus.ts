import { readFile } from 'node:fs/promises';
import path from 'node:path';

/** How a program is driven; what is absent has the corpus's default. */
export interface Drive {
  readonly calls?: number;
  readonly stopOnFail?: boolean;
  readonly expectCalls?: readonly string[];
  readonly sessions?: number;
  readonly parallel?: number;
  readonly sibling?: boolean;
  readonly storeDelayMs?: number;
  readonly settleMs?: number;
  readonly capabilities?: readonly string[];
  readonly pad?: { readonly text: string; readonly repeat: number };
  readonly bom?: boolean;
  readonly crlf?: boolean;
}

/** One hostile or broken hook and what must come of it. */
export interface Program {
  readonly name: string;
  readonly kind: string;
  readonly accept: readonly string[];
  /** What matters is that nothing gets out, more than what the hook answers. */
  readonly isContained: boolean;
  readonly forbid: RegExp;
  readonly forbidSecond: RegExp | undefined;
  readonly drive: Drive;
  readonly source: string;
}

interface Row {
  readonly name: string;
  readonly required: string;
  readonly kind: string;
  readonly file: string;
  readonly accept: readonly string[];
  readonly forbid: string;
  readonly forbidSecond?: string;
  readonly drive?: Drive;
}

/** What the index of a corpus says of a program. */
export type ProgramName = Pick<Row, 'name' | 'kind'>;

/** Reads what programs a folder with an `index.jsonl` has. */
export function readIndex(folder: string): Promise<readonly ProgramName[]> {
  return readRows(folder);
}

/** Reads the programs of a folder that are wanted: some are many megabytes long. */
export async function readCorpus(
  folder: string,
  isWanted: (program: ProgramName) => boolean,
): Promise<readonly Program[]> {
  const rows = (await readRows(folder)).filter(isWanted);
  return Promise.all(
    rows.map(async ({ name, kind, file, required, accept, forbid, forbidSecond, drive = {} }) => ({
      name,
      kind,
      accept,
      isContained: required.startsWith('contained'),
      forbid: new RegExp(forbid),
      forbidSecond: forbidSecond === undefined ? undefined : new RegExp(forbidSecond),
      drive,
      source: dress(await readFile(path.join(folder, file), 'utf8'), drive),
    })),
  );
}

async function readRows(folder: string): Promise<readonly Row[]> {
  const index = await readFile(path.join(folder, 'index.jsonl'), 'utf8');
  return index
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Row);
}

/** Pads, marks and re-ends the lines of a source as its row says. */
function dress(source: string, { pad, bom, crlf }: Drive): string {
  let text = source;
  if (pad !== undefined) {
    const parts = Array.from({ length: pad.repeat }, (_, at) => pad.text.replaceAll('#', `${at}`));
    text = text.replace('/*PAD*/', () => parts.join(''));
  }
  if (crlf === true) text = text.replaceAll('\n', '\r\n');
  return bom === true ? `\uFEFF${text}` : text;
}
