import { CONSOLE_METHODS, REMOVED_GLOBALS } from '../../sdk/globals.ts';
import { create, defineHidden, deleteProperty } from './intrinsics.ts';
import { fixArrayBuffers } from './web/array-buffer.ts';
import { nameFunction } from './web/interface.ts';

/**
 * Takes from the global object of an isolate what lets code wait, share or outgrow its limits, and puts a console there
 * that says nothing in place of V8's. To be called once, before hook code exists.
 */
export function hardenGlobals(target: object): void {
  for (let index = 0; index < REMOVED_GLOBALS.length; index += 1) {
    deleteProperty(target, REMOVED_GLOBALS[index] as string);
  }
  fixArrayBuffers(target);
  const console = create(null) as object;
  for (let index = 0; index < CONSOLE_METHODS.length; index += 1) {
    const name = CONSOLE_METHODS[index] as string;
    defineHidden(
      console,
      name,
      nameFunction(() => undefined, name),
    );
  }
  defineHidden(target, 'console', console);
}
