import { expect, test } from 'vitest';
import { PLACEHOLDERS } from '../../scripts/error-placeholders.ts';
import {
  errorRow,
  ERRORS,
  FAILURES,
  fill,
  SignalboxError,
  type ErrorCode,
  type ErrorRow,
} from '../../sdk/errors.ts';

const ROWS = Object.entries<ErrorRow>({ ...FAILURES, ...ERRORS });

/** A placeholder may hold no payload value and no secret, so each new one is written down. */
const NAMES = Object.keys(PLACEHOLDERS);

/** What stands in braces in a hint and is no placeholder: it shows JSON. */
const JSON_IN_HINT = /\{(messages|")/;

function placeholders(text: string): string[] {
  return [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
}

test('the codes of failures are exactly the permanent ones', () => {
  expect(Object.keys(FAILURES)).toEqual([
    'timeout',
    'thrown',
    'memory',
    'crash',
    'invalid_decision',
    'capability',
    'ungranted',
    'load_error',
    'load_timeout',
    'not_installed',
    'package_tampered',
    'untrusted',
    'payload_size',
    'answer_size',
    'unserialisable',
    'queue_timeout',
    'queue_full',
    'cancelled',
    'credit',
    'protocol_mismatch',
    'sandbox_lost',
    'shadow',
  ]);
});

test('no code is both a failure and another error', () => {
  expect(Object.keys(ERRORS).filter((code) => Object.hasOwn(FAILURES, code))).toEqual([]);
});

test.each(ROWS)('%s is a code in lower case', (code) => {
  expect(code).toMatch(/^[a-z][a-z_]*[a-z]$/);
});

test.each(ROWS)('%s has a message in sentence case without a full stop', (_, row) => {
  expect(row.message).toMatch(/^["{A-Z].*[^.\s]$/s);
});

test.each(ROWS)('%s has a hint that says what to do', (_, row) => {
  expect(row.hint).toMatch(/^["A-Z].*[^.\s]$|^[a-z]+(\/|\.md)/s);
});

test.each(ROWS)('%s has placeholders alone that the docs explain', (_, row) => {
  expect(NAMES).toEqual(expect.arrayContaining(placeholders(row.message + row.hint)));
});

test.each(ROWS)('%s has a hint that shows no half-filled braces', (_, row) => {
  const data = Object.fromEntries(NAMES.map((name) => [name, 'X']));
  const left = fill(row.hint, data);
  expect(JSON_IN_HINT.test(left) || !left.includes('{')).toBe(true);
});

test.each(ROWS)('%s makes an error with its message, hint and code', (name, row) => {
  const code = name as ErrorCode;
  expect(errorRow(code)).toBe(row);
  const data = Object.fromEntries(NAMES.map((key) => [key, `<${key}>`]));
  const error = new SignalboxError(code, data);
  expect(error).toMatchObject({ name: 'SignalboxError', code, data });
  expect(error.message).not.toMatch(/\{\w+\}/);
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    code,
    message: error.message,
    hint: error.hint,
  });
});

test('a placeholder without a value is left out', () => {
  expect(fill('a{x}b{y}c', { x: 1 })).toBe('a1bc');
});

test('values are filled in as they are, dollar signs too', () => {
  expect(fill('{x}', { x: '$&{y}' })).toBe('$&{y}');
});

test('a placeholder named like a built-in is left out', () => {
  expect(fill('{constructor}', {})).toBe('');
});

test('every placeholder that the docs explain is used', () => {
  const used = ROWS.flatMap(([, row]) => placeholders(row.message + row.hint));
  expect(NAMES.filter((name) => !used.includes(name))).toEqual([]);
});
