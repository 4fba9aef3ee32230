import { LIMITS } from '../../sdk/limits.ts';
import { stringSlice } from './intrinsics.ts';

/** A thrown value as short text, made inside the sandbox under its cap. Never throws; getters of the value may run. */
export function describe(error: unknown): string {
  try {
    if (typeof error !== 'object' || error === null) {
      return typeof error === 'string'
        ? cut(error)
        : `a thrown ${error === null ? 'null' : typeof error}`;
    }
    const { name, message, stack } = error as {
      name?: unknown;
      message?: unknown;
      stack?: unknown;
    };
    if (typeof stack === 'string' && stack !== '') return cut(stack);
    const kind = typeof name === 'string' ? name : 'Error';
    return cut(typeof message === 'string' && message !== '' ? `${kind}: ${message}` : kind);
  } catch {
    return 'a thrown value that cannot be described';
  }
}

function cut(text: string): string {
  return stringSlice(text, 0, LIMITS.reasonBytes);
}
