import { defineHidden, defineProperty, bare } from '../intrinsics.ts';
import { asInterface, nameFunction } from './interface.ts';
import { urlLibrary } from './late.ts';

type UrlClass = 'URL' | 'URLSearchParams';

/**
 * Defines `URL` and `URLSearchParams`. Until it is looked at, each is an accessor: the library takes milliseconds to
 * come up, which an isolate that parses no URL does not pay.
 */
export function installUrl(target: object): void {
  defineLate(target, 'URL');
  defineLate(target, 'URLSearchParams');
}

function defineLate(target: object, name: UrlClass): void {
  const become = (value: unknown): void => defineHidden(target, name, value);
  const get = nameFunction((): object => {
    const made = asInterface(name, urlLibrary()[name]);
    become(made);
    return made;
  }, `get ${name}`);
  const set = nameFunction((value: unknown): void => become(value), `set ${name}`);
  defineProperty(
    target,
    name,
    bare({ __proto__: null, get, set, configurable: true, enumerable: false }),
  );
}
