import vm from 'node:vm';
import type ivm from 'isolated-vm';

/**
 * V8's code cache of a guest script, for the isolates of this very process: the same text, V8 and flags. It is made from
 * a script that has run, so that what boots every isolate is compiled in it. No package has a part in it.
 */
export function cacheOf(
  engine: typeof ivm,
  { text, filename }: { readonly text: string; readonly filename: string },
  warmUp: (value: (...args: unknown[]) => unknown) => void,
): ivm.ExternalCopy<ArrayBuffer> {
  const script = new vm.Script(text, { filename });
  const context = vm.createContext(vm.constants.DONT_CONTEXTIFY);
  warmUp(script.runInContext(context) as (...args: unknown[]) => unknown);
  const { buffer, byteOffset, length } = script.createCachedData();
  return new engine.ExternalCopy(buffer.slice(byteOffset, byteOffset + length) as ArrayBuffer);
}
