import { existsSync, readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { BridgeError, type Ports } from '../../host/bridges.ts';
import { SignalboxError } from '../../sdk/errors.ts';

/** What was answered to one call of the world outside, and to which. */
interface RecordedCall {
  readonly call: readonly unknown[];
  readonly answer: unknown;
}

/** The recorded calls of a test host. */
export interface BridgeRecording {
  /** The ports with `fetch` and `llm` answered from the recording, or recorded. */
  readonly ports: Pick<Ports, 'fetch' | 'llm'>;
  /** Writes the file when something was recorded. */
  save(): Promise<void>;
}

/**
 * Replays the answers in `file`; where there is no such file, calls the real ports and records their answers. Headers are
 * not kept, as they carry secrets; what the body and the prompt hold is.
 */
export function openRecording(file: string, real: Pick<Ports, 'fetch' | 'llm'>): BridgeRecording {
  const known = existsSync(file) ? read(file) : undefined;
  const made: RecordedCall[] = [];
  const answer = async <T>(
    call: readonly unknown[],
    ask: (() => Promise<T>) | undefined,
  ): Promise<T> => {
    if (known !== undefined) {
      const found = known.findIndex((one) => JSON.stringify(one.call) === JSON.stringify(call));
      if (found < 0) throw new BridgeError('unavailable', 'The recording has no such call');
      // Calls that are equal are answered in the order of their recording, the last one again and again.
      const isRepeated = known
        .slice(found + 1)
        .some((one) => JSON.stringify(one.call) === JSON.stringify(call));
      const [one] = isRepeated ? known.splice(found, 1) : known.slice(found, found + 1);
      // The file holds what this port answered.
      return one?.answer as T;
    }
    if (ask === undefined) throw new BridgeError('unavailable', 'Nothing is there to record');
    const value = await ask();
    made.push({ call, answer: value });
    return value;
  };
  const { fetch, llm } = real;
  return {
    ports: {
      fetch: (request) =>
        answer(
          ['fetch', request.method, request.url.href, request.body ?? null],
          fetch && (() => fetch(request)),
        ),
      llm: (prompt, signal) => answer(['llm', prompt], llm && (() => llm(prompt, signal))),
    },
    async save() {
      if (made.length === 0) return;
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, `${JSON.stringify(made, undefined, 2)}\n`);
    },
  };
}

function read(file: string): RecordedCall[] {
  try {
    const calls: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (Array.isArray(calls)) return calls as RecordedCall[];
  } catch {
    // Told below: the file is the test's own.
  }
  const detail = `"${file}" is no recording; delete it to record anew`;
  throw new SignalboxError('test_setup', { detail });
}
