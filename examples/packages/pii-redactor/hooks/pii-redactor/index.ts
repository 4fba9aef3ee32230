import {
  allow,
  defineHook,
  findCards,
  findDatesOfBirth,
  findEmails,
  findIbans,
  findNationalIds,
  findPhones,
  mapStrings,
  modify,
  replaceSpans,
  type Span,
  type StringPlace,
} from '@signalbox/sdk';

type Finder = (text: string, place: StringPlace) => Span[];

/** One row per kind of personal data. Where two find the same characters, the first row says what they are. */
const DETECTORS = {
  email: { label: '[EMAIL]', find: findEmails },
  iban: { label: '[IBAN]', find: findIbans },
  card: { label: '[CARD]', find: findCards },
  id: { label: '[ID]', find: findNationalIds },
  dob: { label: '[DOB]', find: findDatesOfBirth },
  phone: { label: '[PHONE]', find: findPhones },
} as const satisfies Record<string, { readonly label: string; readonly find: Finder }>;

type Type = keyof typeof DETECTORS;

/** The fields of each point that hold text and that a hook may replace. */
const FIELDS = {
  preInput: ['text', 'attachments'],
  preToolUse: ['args'],
  postToolUse: ['result', 'attachments'],
  postToolFailure: ['error'],
  preOutput: ['text'],
} as const;

interface Config {
  /** What is redacted; everything, if absent. */
  readonly types?: readonly Type[];
}

/** Redacts personal data at every point where text comes in, goes out, or passes a tool. */
export function createHook({ types = Object.keys(DETECTORS) as Type[] }: Config = {}) {
  const wanted = (Object.keys(DETECTORS) as Type[]).filter((type) => types.includes(type));
  return defineHook({
    points: ['preInput', 'preToolUse', 'postToolUse', 'postToolFailure', 'preOutput'],
    run(point, payload, ctx) {
      const given: Readonly<Record<string, unknown>> = { ...payload };
      const counts = new Map<Type, number>();
      const changed: Record<string, unknown> = {};
      for (const field of FIELDS[point]) {
        const redacted = mapStrings(given[field], (text, place) => {
          const spans = find(text, place, wanted);
          for (const { type } of spans) counts.set(type, (counts.get(type) ?? 0) + 1);
          return replaceSpans(text, spans, ({ type }) => DETECTORS[type].label);
        });
        if (redacted !== given[field]) changed[field] = redacted;
      }
      if (counts.size === 0) return allow();
      const note = `redacted ${[...counts].map(([type, count]) => `${count} ${type}`).join(', ')}`;
      ctx.log(note);
      return modify(changed, note);
    },
  });
}

interface Find extends Span {
  readonly type: Type;
}

/** What the kinds find; a later kind does not count where an earlier one has found something. */
function find(text: string, place: StringPlace, types: readonly Type[]): Find[] {
  return types.reduce<Find[]>((found, type) => {
    const fresh = DETECTORS[type]
      .find(text, place)
      .filter((span) => !found.some(({ start, end }) => span.start < end && start < span.end));
    return [...found, ...fresh.map((span) => ({ ...span, type }))];
  }, []);
}
