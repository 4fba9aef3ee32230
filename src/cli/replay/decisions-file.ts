import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { realpath } from 'node:fs/promises';

import { SignalboxError } from '../../../sdk/errors.ts';

/** A file that gets one line of JSON for each value. */
export interface JsonLinesFile {
  write(value: unknown): Promise<void>;
  /** Resolves when everything is on its way to the disk. */
  close(): Promise<void>;
}

/** Opens a file for writing, empty. Throws `file_unwritable`, also where it is one of the inputs. */
export async function openJsonLines(
  file: string,
  inputs: readonly string[],
): Promise<JsonLinesFile> {
  const fail = (detail: string) => new SignalboxError('file_unwritable', { file, detail });
  const real = await realpath(file).catch(() => undefined);
  for (const input of inputs) {
    if (real !== undefined && real === (await realpath(input).catch(() => undefined))) {
      throw fail('it is an input of this command');
    }
  }
  const stream = createWriteStream(file);
  let broken: SignalboxError | undefined;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    broken = fail(error.code ?? 'unknown error');
  });
  await Promise.race([once(stream, 'open'), once(stream, 'close')]).catch(() => undefined);
  if (broken !== undefined) throw broken;
  return {
    async write(value) {
      if (broken !== undefined) throw broken;
      if (!stream.write(`${JSON.stringify(value)}\n`))
        await once(stream, 'drain').catch(() => undefined);
    },
    async close() {
      if (!stream.closed) await new Promise<void>((resolve) => stream.end(() => resolve()));
      if (broken !== undefined) throw broken;
    },
  };
}
