import type { Decision, InjectionInput } from '../../sdk/decisions.ts';

/** Control characters but for tab, line feed and carriage return, and halves of characters. */
const UNPRINTABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]|\p{Surrogate}/gu;

/** The decision with injected text as a model may read it: what no person could see in it is gone. */
export function cleanInjections(decision: Decision): Decision {
  const { inject } = decision;
  if (inject === undefined || inject.length === 0) return decision;
  const cleaned = inject.map((item) => ({
    ...item,
    content: item.content.replace(UNPRINTABLE, ''),
  }));
  return { ...decision, inject: cleaned };
}

/** Characters of injected text, each counted once whatever its encoding takes. */
export function injectedChars(inject: readonly InjectionInput[]): number {
  let chars = 0;
  for (const { content } of inject) for (const _ of content) chars += 1;
  return chars;
}
