import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { link, mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { SignalboxError } from '../../sdk/errors.ts';

/** Signs and encrypts what is kept of approvals. */
export interface Seal {
  /** HMAC-SHA256 of parts, each told apart from the next. */
  sign(parts: readonly (string | number | null)[]): string;
  verify(parts: readonly (string | number | null)[], mac: string): boolean;
  /** AES-256-GCM, bound to an id: the text of another row does not open. */
  encrypt(id: string, text: string): string;
  /** `undefined` for what was not encrypted here, or for another id. */
  decrypt(id: string, sealed: string): string | undefined;
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Opens the key of a file that only its owner can read, and creates it where there is none. Rejects with `key_unusable`. */
export async function openSeal(file: string): Promise<Seal> {
  const key = (await readKey(file)) ?? (await createKey(file));
  // One key per purpose, so that neither use weakens the other.
  const derive = (purpose: string): Buffer =>
    Buffer.from(hkdfSync('sha256', key, '', `signalbox approvals ${purpose}`, KEY_BYTES));
  const [signing, sealing] = [derive('sign'), derive('encrypt')];
  const sign: Seal['sign'] = (parts) =>
    createHmac('sha256', signing).update(JSON.stringify(parts)).digest('base64url');
  return {
    sign,
    verify(parts, mac) {
      const [expected, given] = [Buffer.from(sign(parts)), Buffer.from(mac)];
      return expected.length === given.length && timingSafeEqual(expected, given);
    },
    encrypt(id, text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', sealing, nonce).setAAD(Buffer.from(id));
      const body = [cipher.update(text, 'utf8'), cipher.final()];
      return Buffer.concat([nonce, cipher.getAuthTag(), ...body]).toString('base64');
    },
    decrypt(id, sealed) {
      const bytes = Buffer.from(sealed, 'base64');
      if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
      const bodyStart = NONCE_BYTES + TAG_BYTES;
      const decipher = createDecipheriv('aes-256-gcm', sealing, bytes.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(id))
        .setAuthTag(bytes.subarray(NONCE_BYTES, bodyStart));
      try {
        return (
          decipher.update(bytes.subarray(bodyStart), undefined, 'utf8') + decipher.final('utf8')
        );
      } catch {
        return undefined;
      }
    },
  };
}

async function readKey(file: string): Promise<Buffer | undefined> {
  try {
    const { mode } = await stat(file);
    // On Windows the mode says nothing.
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw unusable(file, 'others than its owner have rights on it');
    }
    const key = await readFile(file);
    if (key.length !== KEY_BYTES) throw unusable(file, `it has not ${KEY_BYTES} bytes`);
    return key;
  } catch (error) {
    if (error instanceof SignalboxError) throw error;
    if (codeOf(error) === 'ENOENT') return undefined;
    throw unusable(file, codeOf(error));
  }
}

/** Another process may create it at the same time: the first one's key stands, whole. */
async function createKey(file: string): Promise<Buffer> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o711 });
    const handle = await open(draft, 'wx', 0o600);
    try {
      await handle.writeFile(randomBytes(KEY_BYTES));
    } finally {
      await handle.close();
    }
    await link(draft, file).catch((error: unknown) => {
      if (codeOf(error) !== 'EEXIST') throw error;
    });
  } catch (error) {
    throw unusable(file, codeOf(error));
  } finally {
    await rm(draft, { force: true });
  }
  const key = await readKey(file);
  if (key === undefined) throw unusable(file, 'it was removed');
  return key;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}

function unusable(file: string, detail: string): SignalboxError {
  return new SignalboxError('key_unusable', { file, detail });
}
