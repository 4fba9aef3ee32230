import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createHook } from '../../hooks/pii-redactor/index.ts';
import { ROOT } from '../house/imports.ts';

type Hook = ReturnType<typeof createHook>;
type Payload = Readonly<Record<string, unknown>>;
type Changes = Readonly<Record<string, unknown>> | undefined;

function run(point: string, payload: Payload, hook: Hook = createHook()) {
  const lines: string[] = [];
  const ctx = { log: (line: string) => lines.push(line) };
  // The hook is called as its sandbox calls it: with JSON values of no type.
  const call = hook.run as unknown as (
    point: string,
    payload: Payload,
    ctx: object,
  ) => { action: string; payload?: Changes; note?: string };
  return { ...call(point, payload, ctx), lines };
}

const redactText = (text: string): unknown => {
  const { payload } = run('postToolUse', { toolName: 'x', args: {}, result: text });
  return payload?.['result'] ?? text;
};

interface PiiRow {
  readonly id: string;
  readonly text: string;
  readonly pii: readonly { readonly type: 'email' | 'dob'; readonly text: string }[];
}

const PII_FILE = join(ROOT, '../shared/data/airline/pii.jsonl');
const CONVERSATIONS_FILE = join(ROOT, '../shared/data/airline/conversations.jsonl');
const lines = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
const rows = lines(PII_FILE).map((line) => JSON.parse(line) as PiiRow);

/** The text with each listed piece of personal data replaced, and nothing else. */
function expected({ text: whole, pii }: PiiRow): string {
  return pii.reduce(
    (text, { type, text: piece }) => text.replaceAll(piece, type === 'email' ? '[EMAIL]' : '[DOB]'),
    whole,
  );
}

test.skipIf(rows.length === 0)(
  'real messages lose the addresses and dates of birth that people marked, and not a character more (needs ../shared)',
  () => {
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(redactText(row.text), row.id).toBe(expected(row));
  },
);

test.skipIf(rows.length === 0)(
  'in real conversations every date before 2020 goes and every later one stays (needs ../shared)',
  () => {
    // Nobody in them is younger, and no flight, booking or certificate is older.
    const old = /\b(?:19\d\d|20[01]\d)-\d\d-\d\d|\b[A-Z][a-z]+ \d{1,2}, (?:19\d\d|20[01]\d)\b/g;
    for (const line of lines(CONVERSATIONS_FILE)) {
      const { id, messages } = JSON.parse(line) as {
        id: string;
        messages: { content: string | null }[];
      };
      for (const { content } of messages) {
        const redacted = redactText(content ?? '') as string;
        expect(redacted.replace(/\[DOB\]|\[EMAIL\]/g, '#'), id).toBe(
          (content ?? '').replace(old, '#').replace(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, '#'),
        );
      }
    }
  },
);

test('each point has its own fields redacted, and a result of another shape keeps its shape', () => {
  const email = 'ann@example.com';
  expect(
    run('preInput', { text: email, source: 'chat', attachments: [{ name: email }] }).payload,
  ).toEqual({
    text: '[EMAIL]',
    attachments: [{ name: '[EMAIL]' }],
  });
  expect(run('preToolUse', { toolName: email, args: { to: [email] } }).payload).toEqual({
    args: { to: ['[EMAIL]'] },
  });
  expect(
    run('postToolUse', { toolName: 'x', args: { to: email }, result: [email, 42] }).payload,
  ).toEqual({ result: ['[EMAIL]', 42] });
  expect(run('preOutput', { text: email, channels: ['chat'] }).payload).toEqual({
    text: '[EMAIL]',
  });
});

test('fields without personal data are not part of the change', () => {
  expect(
    run('preInput', { text: 'ann@example.com', source: 'chat', attachments: [{ a: 1 }] }).payload,
  ).toEqual({
    text: '[EMAIL]',
  });
});

test('[D02] a text block in an array is redacted, image block and extra fields are untouched', () => {
  const result = {
    messages: [
      {
        role: 'user',
        extra: { kept: true },
        content: [
          { type: 'text', text: 'mail a@b.com' },
          { type: 'image_url', image_url: { url: 'https://x/y.png' } },
        ],
      },
    ],
  };
  expect(run('postToolUse', { toolName: 'x', args: {}, result }).payload).toEqual({
    result: {
      messages: [
        {
          role: 'user',
          extra: { kept: true },
          content: [
            { type: 'text', text: 'mail [EMAIL]' },
            { type: 'image_url', image_url: { url: 'https://x/y.png' } },
          ],
        },
      ],
    },
  });
});

const ALL = createHook({ types: ['email', 'dob', 'ssn', 'card'] });

test('[D04] arguments are redacted at any depth, keys and JSON in strings included', () => {
  const args = {
    note: 'ok',
    nested: [{ ssn: '123-45-6789' }],
    'a@b.co': '{"dob":"1990-04-05","n":1.0}',
  };
  expect(run('preToolUse', { toolName: 'save', args }, ALL).payload).toEqual({
    args: { note: 'ok', nested: [{ ssn: '[SSN]' }], '[EMAIL]': '{"dob":"[DOB]","n":1.0}' },
  });
});

test('[D05] both views of a result are redacted, numbers and shapes are kept', () => {
  const result = {
    content: [{ type: 'text', text: '{"ssn":"219-09-9999"}' }],
    structuredContent: { ssn: '219-09-9999', balance: 42.0 },
  };
  expect(
    run('postToolUse', { toolName: 'mcp__gmail__read', args: {}, result }, ALL).payload,
  ).toEqual({
    result: {
      content: [{ type: 'text', text: '{"ssn":"[SSN]"}' }],
      structuredContent: { ssn: '[SSN]', balance: 42.0 },
    },
  });
});

test.each([
  ['alice@\u200bexample.com', '[EMAIL]'],
  ['bob\uff20test.org', '[EMAIL]'],
  ['\u0430lice@example.com', '[EMAIL]'],
  [
    '\uff14\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11\uff11',
    '[CARD]',
  ],
  ['4111.1111.1111.1111', '[CARD]'],
  ['3782-822463-10005', '[CARD]'],
  ['ali\u00adce@example.com', '[EMAIL]'],
])('[D01] %s does not pass', (text, label) => {
  expect(run('preInput', { text, source: 'chat' }, ALL).payload).toEqual({ text: label });
});

test('[D01] text without personal data is allowed as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const plain = text.replace(/[@＠﹫]|\p{N}/gu, '');
      expect(run('preInput', { text: plain, source: 'chat' })).toEqual({
        action: 'allow',
        lines: [],
      });
    }),
  );
});

test('what was redacted stays as it is the next time', () => {
  const once = redactText('a@b.co, DOB 1990-04-05') as string;
  expect(once).toBe('[EMAIL], DOB [DOB]');
  expect(run('preInput', { text: once, source: 'chat' }).action).toBe('allow');
});

test('[D07] [D08] note and log count and name kinds, and never show what was found', () => {
  const { note, lines: logged } = run('preInput', {
    text: 'a@b.co c@d.co DOB 1990-04-05',
    source: 'chat',
  });
  expect(note).toBe('redacted 2 email, 1 dob');
  expect(logged).toEqual([note]);
});

test('only the configured kinds are redacted', () => {
  const hook = createHook({ types: ['dob'] });
  expect(run('preInput', { text: 'a@b.co DOB 1990-04-05', source: 'chat' }, hook).payload).toEqual({
    text: 'a@b.co DOB [DOB]',
  });
});

test('a payload whose content was not delivered is allowed', () => {
  expect(run('preToolUse', { toolName: 'x' }).action).toBe('allow');
});
