import { RE2JS } from 're2js';

const MAX_PATTERN_CHARS = 1000;
/** Instructions of all patterns of one schema; a short pattern can stand for a thousand. */
const MAX_PROGRAM = 5000;
/** Instructions times characters of one check: some tens of milliseconds. */
const MAX_WORK = 20_000_000;

/** A compiled pattern as ajv uses it. */
export interface LinearPattern {
  test(text: string): boolean;
  /** ajv tells patterns apart by this text. */
  toString(): string;
}

/** Compiles regular expressions that somebody else wrote, and runs them in linear time under a budget. */
export interface LinearPatterns {
  /** For ajv's option `code.regExp`. Throws for what RE2 does not know, such as a lookahead. */
  readonly engine: ((pattern: string, flags: string) => LinearPattern) & { readonly code: string };
  /** Gives the next schema, or the next check, its own budget. */
  refill(): void;
}

/** Makes an engine with a budget of its own. */
export function openLinearPatterns(): LinearPatterns {
  let program = 0;
  let work = 0;
  const compile = (pattern: string): LinearPattern => {
    if (pattern.length > MAX_PATTERN_CHARS) {
      throw new Error(`a pattern is longer than ${MAX_PATTERN_CHARS} characters`);
    }
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    const size = compiled.programSize();
    program += size;
    if (program > MAX_PROGRAM) throw new Error('its patterns are too large');
    return {
      test: (text) => {
        work += size * (text.length + 1);
        if (work > MAX_WORK) throw new Error('the patterns have too much to read');
        return compiled.test(text);
      },
      toString: () => `/${pattern}/`,
    };
  };
  return {
    // ajv puts this name into code that it would save to a file; nothing here is saved.
    engine: Object.assign(compile, { code: 'linearPatterns' }),
    refill: () => {
      program = 0;
      work = 0;
    },
  };
}
