import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, expect, test } from 'vitest';

import { readRecording } from '../../src/replay/recording.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-recording-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function read(name: string, content: string | Buffer) {
  const file = join(folder, name);
  await writeFile(file, content);
  return readFile(file);
}

async function readFile(file: string) {
  const seen: unknown[] = [];
  for await (const entry of readRecording(file)) {
    if ('error' in entry) {
      const { code, data } = entry.error;
      seen.push({ code, line: data.line, detail: data.detail });
    } else {
      const { id, messages, lineOf } = entry.conversation;
      seen.push({ id, count: messages.length, lines: messages.map((_, index) => lineOf(index)) });
    }
  }
  return seen;
}

const ONE = '{"id":"one","messages":[{"role":"user","content":"a"}]}';
const TWO = '{"id":2,"messages":[{"role":"user","content":"b, ]} \\" {["}]}';
const NAMELESS = '{"messages":[{"role":"user","content":"c"}]}';

test('JSON lines are read line by line, blank lines left out', async () => {
  expect(await read('a.jsonl', `\ufeff${ONE}\r\n\n  \n${TWO}\n${NAMELESS}`)).toEqual([
    { id: 'one', count: 1, lines: [1] },
    { id: '2', count: 1, lines: [4] },
    { id: 'a.jsonl:5', count: 1, lines: [5] },
  ]);
});

test('JSON lines are known by their content too', async () => {
  expect(await read('lines.txt', `${ONE}\n${TWO}\n`)).toHaveLength(2);
  expect(await read('bad-first.json', `{"id": oops\n${TWO}\n`)).toMatchObject([
    { code: 'conversation_invalid', line: 1 },
    { id: '2' },
  ]);
});

test('an array is read element by element, each with its line', async () => {
  expect(
    await read('a.json', `[\n  ${ONE},\n\n ${TWO} ,{"id":"x",\n"messages":[\n1]}\n]\n`),
  ).toEqual([
    { id: 'one', count: 1, lines: [2] },
    { id: '2', count: 1, lines: [4] },
    { id: 'x', count: 1, lines: [6] },
  ]);
});

test('a document of messages alone is one conversation named after its file', async () => {
  const text = JSON.stringify({ messages: [{ role: 'user' }, { role: 'user' }] }, null, 2);
  expect(await read('bare.json', text)).toEqual([{ id: 'bare.json:1', count: 2, lines: [3, 6] }]);
  expect(await read('flat.json', NAMELESS)).toEqual([{ id: 'flat.json:1', count: 1, lines: [1] }]);
});

test('a malformed line is told by its number and the others are read', async () => {
  expect(
    await read('bad.jsonl', `${ONE}\n{"id":"two","messages":[}\n7\n{"id":"x"}\n${TWO}\n`),
  ).toEqual([
    { id: 'one', count: 1, lines: [1] },
    {
      code: 'conversation_invalid',
      line: 2,
      detail: expect.stringMatching(/^not JSON, column 25: /),
    },
    { code: 'conversation_invalid', line: 3, detail: 'a conversation must be an object' },
    {
      code: 'conversation_invalid',
      line: 4,
      detail: 'a conversation must have an array "messages"',
    },
    { id: '2', count: 1, lines: [5] },
  ]);
});

test('a malformed element is told by its line and the others are read', async () => {
  expect(await read('bad.json', `[${ONE},\n{"id": no},\n,${TWO}]`)).toMatchObject([
    { id: 'one' },
    { code: 'conversation_invalid', line: 2 },
    { id: '2' },
  ]);
});

test.each([
  ['[', 'the array has no end', 1],
  [`[${ONE}\n`, 'the array has no end', 2],
  [`[${ONE}]\nmore`, 'text after the end of the array', 2],
  ['[]', 'it holds no conversation', 1],
  ['', 'it holds no conversation', 1],
  [' \n ', 'it holds no conversation', 1],
  ['[[]]', 'a conversation must be an object', 1],
  ['{"messages":[]}', '"messages" is empty', 1],
  ['{"messages":"x"}', 'a conversation must have an array "messages"', 1],
  ['{"id":{},"messages":[1]}', '"id" must be a text of 1 to 256 characters', 1],
  ['{\n"messages": [\n{]\n}', 'not JSON', 3],
])('a file that is no recording gets one clear error: %j', async (text, detail, line) => {
  const seen = await read('odd.json', text);
  const errors = seen.filter((entry) => (entry as { code?: string }).code !== undefined);
  expect(errors).toHaveLength(1);
  expect(errors[0]).toMatchObject({ code: 'conversation_invalid', line });
  expect((errors[0] as { detail: string }).detail).toContain(detail);
});

test('bytes that are no UTF-8 are an error of their line alone', async () => {
  const bytes = Buffer.concat([
    Buffer.from('{"id":"'),
    Buffer.from([0xff, 0xfe]),
    Buffer.from(`"}\n${ONE}\n`),
  ]);
  expect(await read('latin.jsonl', bytes)).toMatchObject([
    { code: 'conversation_invalid', line: 1, detail: 'not UTF-8' },
    { id: 'one' },
  ]);
});

test('an error never shows what the file holds', async () => {
  const [error] = await read('secret.jsonl', '{"messages": hunter2}\n');
  expect(JSON.stringify(error)).not.toContain('hunter2');
});

test('a file that cannot be opened is told with the reason', async () => {
  await expect(readFile(join(folder, 'absent.jsonl'))).rejects.toMatchObject({
    code: 'file_unreadable',
    message: expect.stringContaining('ENOENT'),
  });
  await expect(readFile(folder)).rejects.toMatchObject({ code: 'file_unreadable' });
});

test('a file much larger than a chunk is read whole', async () => {
  const long = 'x'.repeat(150_000);
  const lines = Array.from({ length: 30 }, (_, n) =>
    JSON.stringify({ id: `c${n}`, messages: [{ role: 'user', content: `${long}\u00e9 ${n}` }] }),
  );
  expect(await read('big.jsonl', lines.join('\n'))).toHaveLength(30);
  const array = await read('big.json', `[${lines.join(',\n')}]`);
  expect(array.map((entry) => (entry as { id: string }).id)).toEqual(lines.map((_, n) => `c${n}`));
});

test('nesting beyond any stack is read or refused, and never ends the process', async () => {
  const deep = `{"messages":[{"role":"user","content":${'['.repeat(200_000)}${']'.repeat(200_000)}}]}`;
  const half = deep.slice(0, -2);
  expect(await read('deep.jsonl', `${deep}\n${half}\n${ONE}\n`)).toMatchObject([
    { id: 'deep.jsonl:1' },
    { code: 'conversation_invalid', line: 2, detail: expect.stringContaining('nested too deep') },
    { id: 'one' },
  ]);
});
