import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { ChildEntries } from '../../host/build.ts';
import { PROTOCOL } from '../../host/messages.ts';
import { testEntries } from '../host/child-entries.ts';

/** An entry that takes the place of a package's process: started in the same way, with a program of our own in it. */
export interface Liar {
  readonly entries: ChildEntries;
  remove(): Promise<void>;
}

/**
 * Makes a child that lies. `body` is run for each message of the host with `heard` (kind, id, number, text), `say(kind,
 * id, number, text)` and `write(bytes)`; `first`, if given, replaces the first message.
 */
export async function makeLiar(body: string, first?: string): Promise<Liar> {
  const honest = await testEntries();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'signalbox-liar-'));
  const isolate = path.join(folder, 'liar.cjs');
  const ready = first ?? `say(1, 0, ${PROTOCOL}, ${JSON.stringify(honest.buildHash)});`;
  await writeFile(isolate, `${FRAMES}\n${ready}\nfunction onMessage(heard) { ${body} }\n`);
  const { chmod } = await import('node:fs/promises');
  await chmod(folder, 0o755);
  return {
    entries: { ...honest, isolate },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** The wire, written once more by hand. */
const FRAMES = `
const write = (bytes) => process.stdout.write(bytes);
const frame = (kind, id, number, text) => {
  const body = Buffer.from(text);
  const head = Buffer.alloc(13);
  head.writeUInt32LE(9 + body.length, 0);
  head[4] = kind;
  head.writeUInt32LE(id, 5);
  head.writeUInt32LE(number, 9);
  return Buffer.concat([head, body]);
};
const say = (kind, id, number, text) => write(frame(kind, id, number, text));
let rest = Buffer.alloc(0);
process.stdin.on('data', (chunk) => {
  rest = Buffer.concat([rest, chunk]);
  while (rest.length >= 4 && rest.length >= 4 + rest.readUInt32LE(0)) {
    const length = rest.readUInt32LE(0);
    onMessage({
      kind: rest[4],
      id: rest.readUInt32LE(5),
      number: rest.readUInt32LE(9),
      text: rest.subarray(13, 4 + length).toString('utf8'),
    });
    rest = rest.subarray(4 + length);
  }
});
process.stdin.on('end', () => process.exit());
`;
