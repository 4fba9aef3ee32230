import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { SignalboxError } from '../../sdk/errors.ts';
import type { Exchange } from './exchange.ts';

/** Encrypts what hooks were given and answered. */
export interface PayloadSeal {
  /** AES-256-GCM under a nonce of its own, bound to the id of the record; `undefined` for what is too large to keep. */
  seal(id: string, exchange: Exchange): Uint8Array | undefined;
  /** Throws `payload_key` for what this key does not open, or what is another record's. */
  open(id: string, sealed: Uint8Array): Exchange;
}

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Otherwise what is cut short is held against a shorter tag, which is easier to forge. */
const TAG_LENGTH = { authTagLength: TAG_BYTES };

/** Many records share a commit, and all of them are in memory until then. */
const MAX_EXCHANGE_BYTES = 1024 * 1024;

/** The seal with the key that an environment variable holds, in base64 or hex. Throws `payload_key`. */
export function openPayloadSeal(variable: string, env: NodeJS.ProcessEnv): PayloadSeal {
  const key = keyOf(env[variable], variable);
  const nonceAndTag = NONCE_BYTES + TAG_BYTES;
  return {
    seal(id, exchange) {
      const text = JSON.stringify(exchange);
      if (Buffer.byteLength(text) > MAX_EXCHANGE_BYTES) return undefined;
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(id));
      const body = [cipher.update(text, 'utf8'), cipher.final()];
      return Buffer.concat([nonce, cipher.getAuthTag(), ...body]);
    },
    open(id, sealed) {
      try {
        const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), TAG_LENGTH)
          .setAAD(Buffer.from(id))
          .setAuthTag(sealed.subarray(NONCE_BYTES, nonceAndTag));
        const body = decipher.update(sealed.subarray(nonceAndTag), undefined, 'utf8');
        // What opens is what `seal` wrote.
        return JSON.parse(body + decipher.final('utf8')) as Exchange;
      } catch {
        throw unusable(variable, `what is kept of decision "${id}" was written with another key`);
      }
    },
  };
}

/** A key of its own for this use, so that a key that is used elsewhere as well weakens neither. */
function keyOf(text: string | undefined, variable: string): Buffer {
  const given = text?.trim() ?? '';
  if (given === '') throw unusable(variable, `the variable ${variable} is not set`);
  const isHex = /^[0-9a-f]{64}$/i.test(given);
  const bytes = Buffer.from(given, isHex ? 'hex' : 'base64');
  if (bytes.length !== KEY_BYTES) {
    throw unusable(variable, `${variable} holds no ${KEY_BYTES} bytes in base64 or hex`);
  }
  return Buffer.from(hkdfSync('sha256', bytes, '', 'signalbox decision payloads', KEY_BYTES));
}

function unusable(variable: string, detail: string): SignalboxError {
  return new SignalboxError('payload_key', { variable, detail });
}
