import { fromCharCode, bare, stringCharCodeAt, stringSlice, TypeErrorCtor } from '../intrinsics.ts';
import { DomException } from './dom-exception.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

const VALUE_OF: Record<number, number | undefined> = bare({ __proto__: null });
for (let index = 0; index < ALPHABET.length; index += 1) {
  VALUE_OF[stringCharCodeAt(ALPHABET, index)] = index;
}

/** `btoa`: text whose characters are bytes, as base64. */
export function encodeBase64(...args: readonly unknown[]): string {
  const text = onlyArgument(args, 'btoa');
  let encoded = '';
  for (let index = 0; index < text.length; index += 3) {
    const first = byteAt(text, index);
    const second = byteAt(text, index + 1);
    const third = byteAt(text, index + 2);
    const bits = (first << 16) | (second << 8) | third;
    encoded += (ALPHABET[bits >> 18] as string) + (ALPHABET[(bits >> 12) & 63] as string);
    encoded += index + 1 < text.length ? (ALPHABET[(bits >> 6) & 63] as string) : '=';
    encoded += index + 2 < text.length ? (ALPHABET[bits & 63] as string) : '=';
  }
  return encoded;
}

/** `atob`: base64 as text whose characters are bytes, by the web's forgiving decoding. */
export function decodeBase64(...args: readonly unknown[]): string {
  const text = withoutPadding(withoutSpace(onlyArgument(args, 'atob')));
  if (text.length % 4 === 1) throw incorrect();
  let decoded = '';
  for (let index = 0; index < text.length; index += 4) {
    const bits =
      (valueAt(text, index) << 18) |
      (valueAt(text, index + 1) << 12) |
      (valueAt(text, index + 2) << 6) |
      valueAt(text, index + 3);
    if (index + 3 < text.length) {
      decoded += fromCharCode(bits >> 16, (bits >> 8) & 255, bits & 255);
    } else if (index + 2 < text.length) {
      decoded += fromCharCode(bits >> 16, (bits >> 8) & 255);
    } else {
      decoded += fromCharCode(bits >> 16);
    }
  }
  return decoded;
}

function onlyArgument(args: readonly unknown[], name: string): string {
  if (args.length === 0) throw new TypeErrorCtor(`${name} needs a text`);
  return `${args[0] as string}`;
}

function byteAt(text: string, index: number): number {
  if (index >= text.length) return 0;
  const code = stringCharCodeAt(text, index);
  if (code > 255) throw new DomException('Invalid character', 'InvalidCharacterError');
  return code;
}

function valueAt(text: string, index: number): number {
  if (index >= text.length) return 0;
  const value = VALUE_OF[stringCharCodeAt(text, index)];
  if (value === undefined) throw incorrect();
  return value;
}

function incorrect(): object {
  return new DomException(
    'The string to be decoded is not correctly encoded.',
    'InvalidCharacterError',
  );
}

function withoutPadding(text: string): string {
  if (text.length % 4 !== 0 || text[text.length - 1] !== '=') return text;
  return stringSlice(text, 0, text[text.length - 2] === '=' ? -2 : -1);
}

function withoutSpace(text: string): string {
  let kept = '';
  let from = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = stringCharCodeAt(text, index);
    if (code !== 32 && code !== 9 && code !== 10 && code !== 12 && code !== 13) continue;
    kept += stringSlice(text, from, index);
    from = index + 1;
  }
  return from === 0 ? text : kept + stringSlice(text, from);
}
