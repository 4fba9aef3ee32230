import { TypeErrorCtor } from '../intrinsics.ts';
import { cloneLibrary } from './late.ts';

/** `structuredClone` of the isolate. */
export function structuredClone(...args: readonly unknown[]): unknown {
  if (args.length === 0) throw new TypeErrorCtor('structuredClone needs a value');
  const clone = cloneLibrary();
  return clone(args[0], args[1]);
}
