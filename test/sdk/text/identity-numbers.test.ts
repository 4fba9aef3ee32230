import { expect, test } from 'vitest';
import { findCards, findSocialSecurityNumbers, replaceSpans } from '@signalbox/sdk';

const cards = (text: string): string => replaceSpans(text, findCards(text), '#');
const numbers = (text: string): string => replaceSpans(text, findSocialSecurityNumbers(text), '#');

test.each([
  '４１１１１１１１１１１１１１１１',
  '4111.1111.1111.1111',
  '3782-822463-10005',
  '4111 1111 1111 1111',
])('[D01] the card number %s is found', (text) => {
  expect(cards(`card ${text}.`)).toBe('card #.');
});

test('a number whose check digit is wrong is no card', () => {
  expect(cards('4111111111111112')).toBe('4111111111111112');
});

test('a social security number is found, other numbers in groups are not', () => {
  expect(numbers('SSN 219-09-9999, 123-45-6789')).toBe('SSN #, #');
  expect(numbers('000-12-3456 and 2024-05-23 and 555-123-4567')).toBe(
    '000-12-3456 and 2024-05-23 and 555-123-4567',
  );
});
