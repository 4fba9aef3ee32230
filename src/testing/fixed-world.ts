/** What a hook under test finds in the place of time and chance. */
export interface FixedWorld {
  /** Milliseconds since 1970 that `Date` stands still at. */
  readonly now?: number | undefined;
  /** What `Math.random` counts from. */
  readonly seed?: number | undefined;
}

/**
 * Code that stands before a bundle in its isolate. `crypto` and `performance` stay as they are: what needs secrecy or speed
 * has nothing to expect of a test.
 */
export function fixedWorldCode({ now, seed }: FixedWorld): string {
  const clock =
    now === undefined
      ? ''
      : `const Real = Date, at = ${Math.trunc(now)};
globalThis.Date = class Date extends Real {
  constructor(...parts) { if (parts.length === 0) super(at); else super(...parts); }
  static now() { return at; }
};`;
  // mulberry32, https://gist.github.com/tommyettinger/46a874533244883189143505d203312c
  const chance =
    seed === undefined
      ? ''
      : `let state = ${Math.trunc(seed) >>> 0};
Math.random = () => {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
};`;
  // On one line, so that places in stack traces stay those of the bundle.
  return clock + chance === '' ? '' : `{${clock} ${chance}} `.replaceAll('\n', ' ');
}
