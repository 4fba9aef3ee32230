/** One kind of private data: how it is found in a text, and the word that stands in its place. */
export interface Detector {
  /**
   * Every quantifier is bounded and no two adjacent ones can match the same character across a missing separator, so
   * that the time is linear in the text, whatever it holds.
   */
  readonly pattern: RegExp;
  /** What a match becomes. Without it, `[name]`. */
  readonly replace?: (match: string) => string;
}

/** The built-in detectors, in the order in which they run: a key may look like a number, a number like a phone's. */
export const DETECTORS = {
  key: {
    pattern:
      /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,4096}|\b(?:sk|pk|rk|whsec)[-_][\w-]{8,512}|\bgh[opsur]_\w{16,512}|\bgithub_pat_\w{16,512}|\bglpat-[\w-]{8,512}|\b(?:npm|hf)_\w{16,512}|\bxox[abeoprs]-[\w-]{8,512}|\b(?:AKIA|ASIA)[A-Z0-9]{12,32}|\bAIza[\w-]{16,64}|\beyJ[\w-]{8,4096}(?:\.[\w-]{0,4096}){0,2}/g,
  },
  credential: {
    pattern:
      /\bbearer {1,3}[\w.~+/=-]{16,4096}|(?:passw(?:or)?d|passphrase|secret|token|api[-_ ]?key|authorization)["']?\s{0,3}[:=]\s{0,3}["']?(?:(?:bearer|basic) {1,3})?(?!\[)[^\s"',;]{4,4096}/gi,
    replace: (match) => `${match.split(/[\s:="']/, 1)[0] ?? ''}: [credential]`,
  },
  login: { pattern: /:\/\/[^\s/@:]{1,64}:[^\s/@]{1,256}@/g, replace: () => '://[login]@' },
  token: {
    pattern: /(?<![\w+/=-])[\w+/=-]{32,4096}/g,
    replace: (match) => (isToken(match) ? '[key]' : match),
  },
  email: {
    pattern:
      /(?<![\p{L}\p{N}._+'-])[\p{L}\p{N}._+'-]{1,4096}(?:@|%40)(?:[\p{L}\p{N}-]{1,63}\.){1,8}\p{L}{2,24}/gu,
  },
  card: {
    pattern: /(?<!\d)\d(?:[-. ]{0,3}\d){11,40}(?!\d)/g,
    replace: (match) => (holdsCard(match) ? '[card]' : match),
  },
  ssn: { pattern: /(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])/g },
  phone: {
    pattern:
      /(?:(?<![\w+])(?:\+|00)[1-9]|(?<![\w.-])0[1-9])(?:[ ./()-]{0,2}\d){7,13}(?!\d)|(?<![\d-])(?:\(\d{3}\) ?|\d{3}[-. ])\d{3}[-. ]\d{4}(?![\d-])/g,
  },
} as const satisfies Record<string, Detector>;

/** A long run of mixed characters is taken for a key: a hash in hex, or upper and lower case with digits. */
function isToken(text: string): boolean {
  if (!/\d/.test(text)) return false;
  return /^[0-9a-f]{32,}$/i.test(text) || (/[a-z]/.test(text) && /[A-Z]/.test(text));
}

/** Whether a run of digits, or a part of it between separators, is a card's number. */
function holdsCard(run: string): boolean {
  const groups = run.split(/\D/);
  return groups.some((_, start) => {
    let digits = '';
    for (const group of groups.slice(start)) {
      digits += group;
      if (digits.length > 19) return false;
      if (digits.length >= 12 && passesLuhn(digits)) return true;
    }
    return false;
  });
}

/** The check digit that every card number carries (ISO/IEC 7812). */
function passesLuhn(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index]);
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}
