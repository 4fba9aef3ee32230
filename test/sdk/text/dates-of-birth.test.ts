import { expect, test } from 'vitest';
import { findDatesOfBirth, isBirthKey, replaceSpans } from '@signalbox/sdk';

const redact = (text: string, key?: string): string =>
  replaceSpans(text, findDatesOfBirth(text, key === undefined ? {} : { key }), '#');

test.each([
  ['DOB 2001-04-12.', 'DOB #.'],
  ['(DOB: April 12, 2001)', '(DOB: #)'],
  ['D.O.B.: 12/04/2001', 'D.O.B.: #'],
  ['Date of Birth - 1988-04-10', 'Date of Birth - #'],
  ['**Date of birth:** Oct 5th, 1957', '**Date of birth:** #'],
  ["Kevin's date of birth is April 12, 2001. Go on.", "Kevin's date of birth is #. Go on."],
  ['with a date of birth of April 12, 2001', 'with a date of birth of #'],
  ['Kevin Smith, born on April 12, 2001. I', 'Kevin Smith, born on #. I'],
  ['born in Paris on the 12th of April 2001', 'born in Paris on the #'],
  ['born 12 Apr 2001', 'born #'],
  ['birthdate=20010412', 'birthdate=#'],
  ['My birthday is 12.04.2001', 'My birthday is #'],
  ['"dob": "2001-04-12", "date": "2024-05-01', '"dob": "#", "date": "2024-05-01'],
  ['\\"dob\\": \\"2001-04-12\\"', '\\"dob\\": \\"#\\"'],
  ['April 12, 2001 is my date of birth', '# is my date of birth'],
  ['1988-04-10 (DOB)', '# (DOB)'],
  ['born on Aprіl\u00a01２, 2001', 'born on #'],
  ['DOB: 2001\u200b-04-12', 'DOB: #'],
  ['DOBs: 1988-04-10, 1990-11-22 and 1995-07-15', 'DOBs: #, # and #'],
  ['born 1988-04-10 and John Smith 1990-11-22', 'born # and John Smith #'],
  [
    'Dates of birth:\n1. Emily Smith: 1988-04-10\n2. Jo Lee: 1990-11-22',
    'Dates of birth:\n1. Emily Smith: #\n2. Jo Lee: #',
  ],
])('%j holds dates of birth', (text, redacted) => {
  expect(redact(text)).toBe(redacted);
});

test.each([
  'I need to change it to the next day, May 24, 2024, in economy.',
  'Flight HAT227 from ATL to ORD on 2024-05-23',
  'I was born in Paris and want to fly on May 24, 2024',
  'A trip for my birthday on May 24, 2024',
  'Please give your date of birth. The flight is on 2024-05-23.',
  'Give name and date of birth, then fly on 2024-05-23',
  'created_at: 2024-05-11T08:28:51',
  'The airport was reborn 2024-05-23',
  'ZIP 78750, card 7447, order 20010412',
  'dob: unknown',
])('%j holds none', (text) => {
  expect(redact(text)).toBe(text);
});

test('the flight beside a date of birth is left alone', () => {
  expect(redact('Flight on 2024-05-17, DOB 2001-04-12, back on 2024-05-20')).toBe(
    'Flight on 2024-05-17, DOB #, back on 2024-05-20',
  );
  expect(redact('Ann (DOB: 2001-04-12)\n- **New Flight:** 2024-05-17')).toBe(
    'Ann (DOB: #)\n- **New Flight:** 2024-05-17',
  );
});

test('under a key of birth every date counts, and under others none', () => {
  expect(redact('2001-04-12', 'dob')).toBe('#');
  expect(redact('12 April 2001', 'dateOfBirth')).toBe('#');
  expect(redact('2001-04-12T00:00:00Z', 'birth_date')).toBe('#');
  expect(redact('2001-04-12', 'date')).toBe('2001-04-12');
});

test.each([
  'dob',
  'DOB',
  'dobs',
  'passenger_dob',
  'userDob',
  'birthDate',
  'date-of-birth',
  'birthday',
  'born',
])('%s is a key of birth', (key) => {
  expect(isBirthKey(key)).toBe(true);
});

test.each(['date', 'adobe', 'created_at', 'stubborn', 'dobby'])('%s is no key of birth', (key) => {
  expect(isBirthKey(key)).toBe(false);
});

test('time grows with the length alone', () => {
  const started = performance.now();
  for (const text of [
    'dob '.repeat(2e5),
    '1988-04-10 '.repeat(5e4),
    `born${' '.repeat(1e6)}1990-01-01`,
    '1'.repeat(1e6),
  ]) {
    findDatesOfBirth(text);
  }
  expect(performance.now() - started).toBeLessThan(5000);
});
