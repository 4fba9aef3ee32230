import { createScanner } from 'jsonc-parser';

// Numbers of jsonc-parser's const enum, which does not exist at run time.
const OPEN_BRACE = 1;
const CLOSE_BRACE = 2;
const OPEN_BRACKET = 3;
const CLOSE_BRACKET = 4;
const COLON = 6;
const STRING = 10;
const END = 17;

/** The text value of a top-level key in JSON text that may still be coming; `undefined` while it is not complete. */
export function streamedArgument(text: string, key: string): string | undefined {
  const scanner = createScanner(text, true);
  let depth = 0;
  let name: string | undefined;
  let isValue = false;
  for (let token = scanner.scan(); (token as number) !== END; token = scanner.scan()) {
    switch (token as number) {
      case OPEN_BRACE:
      case OPEN_BRACKET:
        depth += 1;
        isValue = false;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth -= 1;
        break;
      case COLON:
        isValue = depth === 1;
        break;
      case STRING:
        // A text without its end is one that is still coming.
        if ((scanner.getTokenError() as number) !== 0) return undefined;
        if (isValue && name === key) return scanner.getTokenValue();
        if (depth === 1 && !isValue) name = scanner.getTokenValue();
        isValue = false;
        break;
      default:
        if (depth === 1) isValue = false;
    }
  }
  return undefined;
}
