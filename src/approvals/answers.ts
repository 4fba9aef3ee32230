/** What an answer of a person comes to. */
export type AnswerKind = 'once' | 'always' | 'deny';

/**
 * Reads an answer. Only these three texts grant, in any case of letters; whatever else a hook offered as an option, or
 * a person wrote, denies. Source: Amplifier's approval contract.
 */
export function kindOfAnswer(answer: string): AnswerKind {
  switch (answer.toLowerCase()) {
    case 'allow':
    case 'allow once':
      return 'once';
    case 'allow always':
      return 'always';
    default:
      return 'deny';
  }
}

/** The reason where there is nobody to ask; the text is fixed. */
export const NO_APPROVER = 'No approval system available';

/** The reason of a call that a person denied; the text is fixed. */
export function deniedReason(prompt: string): string {
  return `User denied: ${cut(prompt)}`;
}

/** The reason of a call that nobody answered about in time; the text is fixed. */
export function timeoutReason(prompt: string): string {
  return `Approval timeout - denied by default: ${cut(prompt)}`;
}

/** Characters of a prompt that a reason shows. */
const PROMPT_CHARS = 200;

function cut(prompt: string): string {
  // By code points, so that no character is cut in half.
  const chars = Array.from(prompt);
  if (chars.length <= PROMPT_CHARS) return prompt;
  return `${chars.slice(0, PROMPT_CHARS).join('')}...[truncated]`;
}
