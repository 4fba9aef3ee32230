import { Readable, Writable } from 'node:stream';
import { runCommandLine } from '../../src/cli/program.ts';
import type { Ended } from './command-line.ts';

/** A command line, the folder that it is typed in, and what it reads from standard input. */
interface Typed {
  readonly folder: string;
  readonly args: readonly string[];
  readonly input: string;
}

/** What a command line finds in its process and is lent others of. */
type Stream = 'stdin' | 'stdout' | 'stderr';

/**
 * Runs a command line to its end within this process, with a folder and streams of its own. Those belong to a whole
 * process: command lines that are typed meanwhile wait their turn.
 */
export function runWithin(typed: Typed): Promise<Ended> {
  const ended = turns.last.then(() => runInTurn(typed));
  turns.last = ended.catch(() => undefined);
  return ended;
}

const turns: { last: Promise<unknown> } = { last: Promise.resolve() };

async function runInTurn({ folder, args, input }: Typed): Promise<Ended> {
  const home = process.cwd();
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  process.chdir(folder);
  const takeBack = [
    lend('stdin', Readable.from(input === '' ? [] : [Buffer.from(input)])),
    lend('stdout', collector(out)),
    lend('stderr', collector(err)),
  ];
  try {
    const code = await runCommandLine(args);
    return { code, out: Buffer.concat(out).toString(), err: Buffer.concat(err).toString() };
  } finally {
    for (const restore of takeBack) restore();
    process.chdir(home);
  }
}

function collector(chunks: Buffer[]): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
}

/** Puts a stream in the place of one of the process. Returns what puts the old one back. */
function lend(name: Stream, stream: Readable | Writable): () => void {
  const own = Object.getOwnPropertyDescriptor(process, name);
  if (own === undefined) throw new Error(`The process has no ${name}`);
  Object.defineProperty(process, name, { ...own, get: () => stream });
  return () => void Object.defineProperty(process, name, own);
}
