import { fold } from './fold.ts';
import type { Span } from './spans.ts';

/** The number that a state gives a person: its shape, and whether its check is right. */
interface IdRow {
  readonly pattern: RegExp;
  readonly isValid: (id: string) => boolean;
}

const digitsOf = (id: string): number[] => Array.from(id.replace(/\D/g, ''), Number);
/** The digits times the weights, added up. */
const weighed = (digits: readonly number[], weights: readonly number[]): number =>
  weights.reduce((sum, weight, at) => sum + weight * (digits[at] ?? 0), 0);
const countdown = (from: number): number[] =>
  Array.from({ length: from - 1 }, (_, at) => from - at);

/** By country. Only numbers that can be told from others: by their groups, their letters or their check digits. */
const NATIONAL_IDS: Readonly<Record<string, IdRow>> = {
  US: {
    pattern: /(?<![\w-])(?!000|666|9\d\d)\d{3}([- ])(?!00)\d\d\1(?!0000)\d{4}(?![\w-])/g,
    isValid: () => true,
  },
  GB: {
    pattern:
      /(?<!\w)(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z](?: ?\d\d){3} ?[A-D](?!\w)/gi,
    isValid: () => true,
  },
  ES: {
    pattern: /(?<!\w)(?:\d{8}|[XYZ]-?\d{7})-?[A-HJ-NP-TV-Z](?!\w)/gi,
    isValid(id) {
      const [, head = '', letter = ''] = /^(.*?)-?([A-Z])$/.exec(id.toUpperCase()) ?? [];
      const number = Number(head.replace(/^[XYZ]-?/, (sign) => `${'XYZ'.indexOf(sign[0] ?? '')}`));
      return 'TRWAGMYFPDXBNJZSQVHLCKE'[number % 23] === letter;
    },
  },
  FR: {
    pattern: /(?<!\w)[12] ?\d\d ?(?:0[1-9]|1[0-2]) ?(?:\d\d|2[AB])(?: ?\d{3}){2} ?\d\d(?!\w)/gi,
    isValid(id) {
      const plain = id.replace(/ /g, '').toUpperCase().replace('2A', '19').replace('2B', '18');
      return 97 - (Number(plain.slice(0, 13)) % 97) === Number(plain.slice(13));
    },
  },
  IT: {
    pattern: /(?<!\w)[A-Z]{6}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z](?!\w)/gi,
    isValid: () => true,
  },
  DE: {
    pattern: /(?<![\w-])[1-9]\d(?: ?\d{3}){3}(?![\w-])/g,
    isValid(id) {
      const digits = digitsOf(id);
      const rest = digits.slice(0, 10).reduce((product, digit) => {
        const sum = (digit + product) % 10 || 10;
        return (sum * 2) % 11;
      }, 10);
      // One of the first ten digits comes twice or three times, the others at most once.
      return (11 - rest) % 10 === digits[10] && [9, 8].includes(new Set(digits.slice(0, 10)).size);
    },
  },
  PL: {
    pattern: /(?<![\w-])\d\d(?:[02468][1-9]|[13579][0-2])(?:0[1-9]|[12]\d|3[01])\d{5}(?![\w-])/g,
    isValid: (id) => weighed(digitsOf(id), [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0,
  },
  CH: {
    pattern: /(?<!\w)756\.\d{4}\.\d{4}\.\d\d(?!\w)/g,
    isValid: (id) => weighed(digitsOf(id), [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0,
  },
  BR: {
    pattern: /(?<!\w)\d{3}\.\d{3}\.\d{3}-\d\d(?!\w)/g,
    isValid(id) {
      const digits = digitsOf(id);
      const check = (from: number): number => ((weighed(digits, countdown(from)) * 10) % 11) % 10;
      return check(10) === digits[9] && check(11) === digits[10] && new Set(digits).size > 1;
    },
  },
  SE: {
    pattern: /(?<![\w-])(?:19|20)?\d\d(?:0[1-9]|1[0-2])(?:[0-8]\d|9[01])[-+]\d{4}(?![\w-])/g,
    isValid: (id) => isDoubled(digitsOf(id).slice(-10)),
  },
  CA: {
    pattern: /(?<![\w-])[1-79]\d\d([ -])\d{3}\1\d{3}(?![\w-])/g,
    isValid: (id) => isDoubled(digitsOf(id)),
  },
};

/**
 * Finds the numbers that states give to persons: United States, Britain, Spain, France, Italy, Germany, Poland, Switzerland,
 * Brazil, Sweden, Canada. Where a number has a check digit, it must be right.
 *
 * @example
 * ```ts
 * findNationalIds('NINO AB 12 34 56 C'); // [{ start: 5, end: 18 }]
 * ```
 */
export function findNationalIds(text: string): Span[] {
  if (!/\p{N}/u.test(text)) return [];
  const folded = fold(text);
  return Object.values(NATIONAL_IDS).flatMap(({ pattern, isValid }) =>
    Array.from(folded.text.matchAll(pattern))
      .filter(([id]) => isValid(id))
      .map(({ 0: id, index }) => folded.spanOf(index, index + id.length)),
  );
}

/** From the right, every second digit counts double, and the sum of all digits ends in 0. */
function isDoubled(digits: readonly number[]): boolean {
  const sum = digits.toReversed().reduce((total, digit, at) => {
    const doubled = at % 2 === 0 ? digit : digit * 2;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return sum % 10 === 0;
}
