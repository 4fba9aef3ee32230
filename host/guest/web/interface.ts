import {
  defineHidden,
  defineProperty,
  getOwnPropertyDescriptor,
  ownKeys,
  bare,
  type Callable,
} from '../intrinsics.ts';

const TO_STRING_TAG = Symbol.toStringTag;

/**
 * Gives a class the surface of a Web IDL interface: its name (which a bundler may have shortened), its tag, and
 * enumerable members.
 */
export function asInterface<Class extends Callable | (abstract new (...args: never[]) => object)>(
  name: string,
  made: Class,
): Class {
  nameFunction(made, name);
  const { prototype } = made as { readonly prototype: object };
  exposeMembers(prototype);
  exposeMembers(made);
  tag(prototype, name);
  return made;
}

/** Gives an object that is no class the tag that its kind has on the web. */
export function tag(target: object, name: string): void {
  defineProperty(target, TO_STRING_TAG, bare({ __proto__: null, value: name, configurable: true }));
}

/** Names a function as a hook sees it. */
export function nameFunction<Named extends object>(made: Named, name: string): Named {
  defineProperty(made, 'name', bare({ __proto__: null, value: name, configurable: true }));
  return made;
}

/** Puts a function on an object under its name, as Web IDL does for operations of a global. */
export function defineOperation(target: object, name: string, operation: Callable): void {
  defineHidden(target, name, nameFunction(operation, name));
}

/** Defines a constant on a class and its prototype. Load time only. */
export function defineConstant(made: object, name: string, value: number): void {
  const shown = bare({ __proto__: null, value, enumerable: true });
  defineProperty(made, name, shown);
  defineProperty((made as { readonly prototype: object }).prototype, name, shown);
}

const SHOWN = bare({ __proto__: null, enumerable: true });

function exposeMembers(owner: object): void {
  const names = ownKeys(owner);
  const isFunction = typeof owner === 'function';
  for (let index = 0; index < names.length; index += 1) {
    const name = names[index] as PropertyKey;
    if (typeof name !== 'string' || name === 'constructor') continue;
    if (isFunction && (name === 'name' || name === 'length')) continue;
    const descriptor = getOwnPropertyDescriptor(owner, name);
    if (descriptor?.configurable !== true) continue;
    defineProperty(owner, name, SHOWN);
  }
}
