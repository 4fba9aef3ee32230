import { expect, test } from 'vitest';
import { openRecords } from '../../src/records/records.ts';
import { DETECTORS } from '../../src/records/detectors.ts';
import { createScrubber, scrubText } from '../../src/records/scrub.ts';
import { sharedDatabase } from '../sql/temporary-folder.ts';

const database = await sharedDatabase(['decisions']);
const scrubbed = (text: string): string | undefined => scrubText(text, 'scrubbed');

test.each([
  ['mail alice@acme.com now', 'mail [email] now'],
  ['<Mia.Li+x@mail.example.co.uk>', '<[email]>'],
  ['jörg@müller.de', '[email]'],
  ['q=alice%40acme.com', 'q=[email]'],
  ['alice\u200b@ac\u200dme.com', '[email]'],
  ['ａｌｉｃｅ＠ａｃｍｅ．ｃｏｍ', '[email]'],
  [`${'x'.repeat(100)}@acme.com`, '[email]'],
  ['card 4111 1111 1111 1111.', 'card [card].'],
  ['4111-1111-1111-1111', '[card]'],
  ['4111111111111111', '[card]'],
  ['1 4111 1111 1111 1111 2', '[card]'],
  ['amex 378282246310005', 'amex [card]'],
  ['ssn 078-05-1120', 'ssn [ssn]'],
  ['call +1 (555) 010-9999 today', 'call [phone] today'],
  ['+4930123456', '[phone]'],
  ['(555) 010-9999', '[phone]'],
  ['555-010-9999', '[phone]'],
  ['020 7946 0958', '[phone]'],
  ['key sk-proj-abcdefghijklmnop1234', 'key [key]'],
  ['ghp_abcdefghijklmnopqrstuvwxyz0123456789', '[key]'],
  ['AKIAIOSFODNN7EXAMPLE', '[key]'],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl', '[key]'],
  ['-----BEGIN RSA PRIVATE KEY-----\nMIIE\n', '[key]'],
  ['Authorization: Bearer abcdefghijklmnop', 'Authorization: [credential]'],
  ['Bearer abcdefghijklmnopqrst', 'Bearer: [credential]'],
  ['password = "hunter22"', 'password: [credential]"'],
  ['https://bob:hunter2@host/x', 'https://[login]@host/x'],
  ['0123456789abcdef0123456789abcdef', '[key]'],
])('private data is replaced: %j', (text, expected) => {
  expect(scrubbed(text)).toBe(expected);
});

test.each([
  'Blocked by @acme/audit@1.2.0',
  'reservation 4WQ150 of 2024-05-15 costs $1,234.56',
  'Payment credit_card_4421486 is not on the profile',
  'Basic economy flights cannot be changed',
  'call_0a1b2c3d-4e5f-6789-abcd-ef0123456789',
  'HTTP 404 after 1500 ms at 127.0.0.1:8080',
  'order 1234567890123',
])('what is no private data stays: %j', (text) => {
  expect(scrubbed(text)).toBe(text);
});

test('a text is one line of at most 2 KB of whole characters', () => {
  expect(scrubbed('a\nb\u001b[31m\u2028c')).toBe('a\\u{a}b\\u{1b}[31m\\u{2028}c');
  const long = scrubbed('ü '.repeat(4000)) ?? '';
  expect(Buffer.byteLength(long)).toBeLessThanOrEqual(2048);
  expect(long).toMatch(/^(?:ü )+ü?…$/);
});

test('private data at the cut is not kept in part', () => {
  for (let length = 2000; length < 4200; length += 7) {
    const text = `${'. '.repeat(length / 2)}alice.miller@acme.example.com and more`;
    expect(scrubbed(text)).not.toContain('alice');
  }
});

test('full keeps the words and still escapes, none keeps nothing', () => {
  expect(scrubText('to alice@acme.com\n', 'full')).toBe('to alice@acme.com\\u{a}');
  expect(scrubText('to alice@acme.com', 'none')).toBeUndefined();
});

test.each(['full', 'scrubbed', 'none'] as const)(
  'a text that was %s before is so again',
  (kept) => {
    const scrub = createScrubber(kept);
    const texts = Array.from({ length: 200 }, (_, at) => `call ${at % 90} of a@example.com\n`);
    texts.push('x'.repeat(10_000), 'x'.repeat(10_000));
    expect(texts.map(scrub)).toEqual(texts.map((text) => scrubText(text, kept)));
  },
);

test('records keep a reason scrubbed unless told otherwise', async () => {
  for (const reasons of [undefined, 'full', 'none'] as const) {
    const records = openRecords(database, { reasons });
    const reason = 'no mail to alice@acme.com';
    await records.append({ point: 'preInput', hook: 'h', action: 'block', durationMs: 0, reason });
  }
  const { records } = await openRecords(database).query();
  expect(records.map(({ reason }) => reason).toReversed()).toEqual([
    'no mail to [email]',
    'no mail to alice@acme.com',
    undefined,
  ]);
});

const HOSTILE = [
  'a',
  'a@',
  'a.',
  'a@a.',
  '@',
  '1',
  '1-',
  '1 ',
  '0 ',
  '+1',
  '(1',
  'eyJ',
  'eyJaaaaaaaa.',
  'sk-',
  'a:/',
  '://a:',
  'token',
  'token=',
  'bearer ',
  '-----BEGIN ',
  'A ',
  '\u0300',
  '%40',
  'Aa1',
];

test.each(Object.keys(DETECTORS))('the detector %s takes no longer for a hostile text', (name) => {
  const { pattern } = DETECTORS[name as keyof typeof DETECTORS];
  for (const part of HOSTILE) {
    for (const end of ['', '@', '!', '@a.b1', '-----']) {
      const text = part.repeat(4096 / part.length) + end;
      // Of the thread's own time: a busy machine makes nothing of it slower.
      const before = process.threadCpuUsage();
      text.replace(pattern, '');
      const { user } = process.threadCpuUsage(before);
      expect(user / 1000, JSON.stringify(part)).toBeLessThan(50);
    }
  }
});
