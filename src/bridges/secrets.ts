import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SecretPort } from '../../host/bridges.ts';

/** Where secrets are kept. */
export interface SecretPlaces {
  /** A folder with one file for each secret, as container platforms mount them; `undefined` for none. */
  readonly folder: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Environment variables that hold secrets of hooks begin so. */
const PREFIX = 'SIGNALBOX_SECRET_';

/** Shorter values are no secrets, and taking them out of texts would garble those. */
const MIN_CHARS = 4;

/** Values that are remembered for scrubbing; rotated ones stay a while. */
const MAX_VALUES = 1000;

/**
 * Secrets by name: the file of that name, else the variable `SIGNALBOX_SECRET_<NAME>`. Read anew each time, so that a
 * rotated one is there at once.
 */
export function openSecrets({ folder, env }: SecretPlaces): SecretPort {
  const forms = new Map<string, readonly string[]>();
  return {
    async read(name) {
      const value = (await readSecretFile(folder, name)) ?? env[PREFIX + name];
      if (value === undefined || value === '') return undefined;
      if (value.length >= MIN_CHARS) {
        forms.delete(value);
        forms.set(value, formsOf(value));
        const [oldest] = forms.keys();
        if (forms.size > MAX_VALUES && oldest !== undefined) forms.delete(oldest);
      }
      return value;
    },
    scrub(text) {
      let result = text;
      for (const written of forms.values()) {
        for (const form of written) result = result.replaceAll(form, '[secret]');
      }
      return result;
    },
  };
}

/** A secret as texts write it. */
function formsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const forms = new Set([
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value.toWellFormed()),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
  ]);
  // The longest first: one form may be the beginning of another.
  return [...forms].sort((a, b) => b.length - a.length);
}

async function readSecretFile(
  folder: string | undefined,
  name: string,
): Promise<string | undefined> {
  if (folder === undefined) return undefined;
  try {
    // The name is a plain one: the bridge refuses slashes and leading dots.
    const text = await readFile(join(folder, name), 'utf8');
    return text.replace(/\r?\n$/, '');
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (isAbsent) return undefined;
    throw error;
  }
}
