import { allow, defineHook, fold, result } from '@signalbox/sdk';

interface Config {
  /** Answers by question; rows of the collection `faq` come on top. */
  readonly answers?: Readonly<Record<string, string>>;
}

/** Keys of the store are short, and so are questions that are asked again and again. */
const MAX_CHARS = 200;

export function createHook({ answers = {} }: Config = {}) {
  const known = new Map(Object.entries(answers).map(([asked, answer]) => [plain(asked), answer]));
  return defineHook({
    points: ['preInput'],
    capabilities: ['reads_input', 'gates_input', 'store:read:faq'],
    async run(_point, { text, attachments = [] }, ctx) {
      // What comes with files is about them.
      if (attachments.length > 0 || text.length > MAX_CHARS) return allow();
      const question = plain(text);
      if (question === '' || question.length > MAX_CHARS) return allow();
      const answer = known.get(question) ?? answerIn(await ctx.store.get('faq', question));
      if (answer === undefined) return allow();
      ctx.log('answered from the list');
      return result(answer);
    },
  });
}

function answerIn(row: unknown): string | undefined {
  const { answer } = (row ?? {}) as { readonly answer?: unknown };
  return typeof answer === 'string' ? answer : undefined;
}

/** Folded, in lower case, letters and digits with single dashes between: what the keys of `faq` look like. */
function plain(text: string): string {
  return fold(text)
    .text.toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');
}
