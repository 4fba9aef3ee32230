import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findIbans, findNationalIds, findPhones, replaceSpans } from '@signalbox/sdk';

const phones = (text: string, key?: string): string =>
  replaceSpans(text, findPhones(text, key === undefined ? {} : { key }), '#');
const ibans = (text: string): string => replaceSpans(text, findIbans(text), '#');
const ids = (text: string): string => replaceSpans(text, findNationalIds(text), '#');

test.each([
  '+49 30 901820',
  '+1 (415) 555-2671',
  '+44 20 7946 0958',
  '+33 1 42 68 53 00',
  '0049 30 901820',
  '030 / 901820-11',
  '020 7946 0958',
  '(415) 555-2671',
  '415-555-2671',
  '415.555.2671',
  '\uff0b4930901820',
  '+49\u200b 30 901820',
])('the telephone number %s is found', (number) => {
  expect(phones(`Call ${number}, please`)).toBe('Call #, please');
});

test('plain digits are a telephone number where a word or a key says so', () => {
  expect(phones('my phone is 4155552671')).toBe('my phone is #');
  expect(phones('Tel: 901820-11')).toBe('Tel: #');
  expect(phones('4155552671', 'mobile_number')).toBe('#');
  expect(phones('4155552671')).toBe('4155552671');
  expect(phones('4155552671', 'orderId')).toBe('4155552671');
});

test.each([
  'order 4155552671',
  'on 2024-05-20 at 10:30',
  '1990-04-05 or 05/04/1990',
  'gift_card_8516878 and credit_card_7815826',
  'HAT022 for $1,234.56',
  '192.168.100.200',
  '10.0.0.1:8080',
  '3.14159265358979',
  'v2.10.0-rc.1',
  '0x1f90 0755 0644',
])('%s is no telephone number', (text) => {
  expect(phones(text)).toBe(text);
});

test.each([
  'DE89 3704 0044 0532 0130 00',
  'DE89370400440532013000',
  'gb29 nwbk 6016 1331 9268 19',
  'NL91-ABNA-0417-1643-00',
  'FR14 2004 1010 0505 0001 3M02 606',
  'NO93 8601 1117 947',
])('the account number %s is found, and not the word behind it', (account) => {
  expect(ibans(`to ${account} and on`)).toBe('to # and on');
});

test.each([
  'DE89 3704 0044 0532 0130 01',
  'XX89 3704 0044 0532 0130 00',
  'DE89',
  'AB12 is a seat',
  'DE893704004405320130001',
])('%s is no account number', (text) => {
  expect(ibans(text)).toBe(text);
});

test.each([
  ['US', '219-09-9999'],
  ['GB', 'AB 12 34 56 C'],
  ['ES', '12345678Z'],
  ['ES', 'X1234567L'],
  ['FR', '2 55 08 14 168 025 38'],
  ['IT', 'RSSMRA85T10A562S'],
  ['DE', '86 095 742 719'],
  ['PL', '44051401458'],
  ['CH', '756.9217.0769.85'],
  ['BR', '529.982.247-25'],
  ['SE', '811218-9876'],
  ['CA', '130 692 544'],
])('the number of a person in %s is found: %s', (country, id) => {
  expect(ids(`${country} ${id}.`)).toBe(`${country} #.`);
});

test.each([
  '12345678A',
  '2 55 08 14 168 025 39',
  '86 095 742 718',
  '44051401459',
  '756.9217.0769.86',
  '529.982.247-26',
  '811218-9877',
  '130 692 545',
  '000-12-3456',
  'HAT022 2024-05-15 1234567890',
])('%s is the number of nobody', (text) => {
  expect(ids(text)).toBe(text);
});

test('no text makes a finder slow or fall over, and what it finds lies in the text', () => {
  const pieces = fc.constantFrom(
    '0',
    '1',
    '+',
    '(',
    ')',
    ' ',
    '-',
    '.',
    'DE',
    'tel ',
    'x',
    '9 9',
    '/',
  );
  const texts = fc.array(pieces, { maxLength: 400 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(texts, (text) => {
      for (const find of [findPhones, findIbans, findNationalIds]) {
        for (const { start, end } of find(text)) {
          expect(start).toBeLessThan(end);
          expect(end).toBeLessThanOrEqual(text.length);
        }
      }
    }),
  );
});
