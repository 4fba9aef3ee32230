import { LIMITS } from '../../../sdk/limits.ts';
import {
  typedArrayBuffer,
  typedArrayByteLength,
  typedArrayByteOffset,
  typedArrayTag,
  bare,
  stringCharCodeAt,
  stringSlice,
  Uint8ArrayCtor,
} from '../intrinsics.ts';
import { DomException } from './dom-exception.ts';
import { defineOperation, tag } from './interface.ts';

const INTEGER_ARRAYS = bare({
  __proto__: null,
  Int8Array: true,
  Uint8Array: true,
  Uint8ClampedArray: true,
  Int16Array: true,
  Uint16Array: true,
  Int32Array: true,
  Uint32Array: true,
  BigInt64Array: true,
  BigUint64Array: true,
}) as Readonly<Record<string, true | undefined>>;

/** Makes `crypto`: random bytes of the host, at most `LIMITS.entropyBytes` at a time. */
export function createCrypto(entropy: (bytes: number) => string): object {
  const crypto = {};

  defineOperation(crypto, 'getRandomValues', (array: unknown): unknown => {
    const kind = typedArrayTag(array);
    if (kind === undefined || INTEGER_ARRAYS[kind] !== true) {
      throw new DomException('The array must hold integers', 'TypeMismatchError');
    }
    const target = array as Uint8Array;
    const length = typedArrayByteLength(target);
    if (length > LIMITS.entropyBytes) {
      throw new DomException(
        `The requested length exceeds ${LIMITS.entropyBytes} bytes`,
        'QuotaExceededError',
      );
    }
    const bytes = new Uint8ArrayCtor(
      typedArrayBuffer(target),
      typedArrayByteOffset(target),
      length,
    );
    const hex = drawHex(entropy, length);
    for (let index = 0; index < length; index += 1) {
      bytes[index] = (digitAt(hex, index * 2) << 4) | digitAt(hex, index * 2 + 1);
    }
    return array;
  });

  defineOperation(crypto, 'randomUUID', (): string => {
    const hex = drawHex(entropy, 16);
    const variant = '89ab'[digitAt(hex, 16) & 3] as string;
    return (
      `${stringSlice(hex, 0, 8)}-${stringSlice(hex, 8, 12)}-4${stringSlice(hex, 13, 16)}-` +
      `${variant}${stringSlice(hex, 17, 20)}-${stringSlice(hex, 20, 32)}`
    );
  });

  tag(crypto, 'Crypto');
  return crypto;
}

function drawHex(entropy: (bytes: number) => string, bytes: number): string {
  const hex: unknown = bytes === 0 ? '' : entropy(bytes);
  if (typeof hex !== 'string' || hex.length !== bytes * 2) {
    throw new DomException('The host gives no random bytes now', 'OperationError');
  }
  return hex;
}

/** Value of a lower-case hex digit. */
function digitAt(hex: string, index: number): number {
  const code = stringCharCodeAt(hex, index);
  return code < 58 ? code - 48 : code - 87;
}
