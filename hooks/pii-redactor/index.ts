import {
  allow,
  defineHook,
  findCards,
  findDatesOfBirth,
  findEmails,
  findSocialSecurityNumbers,
  mapStrings,
  modify,
  replaceSpans,
  type Span,
  type StringPlace,
} from '@signalbox/sdk';

/** One row per kind of personal data: how it is found and what is put in its place. */
const DETECTORS = {
  email: { label: '[EMAIL]', find: findEmails },
  dob: { label: '[DOB]', find: findDatesOfBirth },
  ssn: { label: '[SSN]', find: findSocialSecurityNumbers },
  card: { label: '[CARD]', find: findCards },
} as const satisfies Record<string, { label: string; find: Finder }>;

type Finder = (text: string, place: StringPlace) => Span[];
type Type = keyof typeof DETECTORS;

/** The fields of each point that hold text and that a hook may replace. */
const FIELDS = {
  preInput: ['text', 'attachments'],
  preToolUse: ['args'],
  postToolUse: ['result', 'attachments'],
  preOutput: ['text'],
} as const;

interface Config {
  /** What is redacted; default: e-mail addresses and dates of birth. */
  readonly types?: readonly Type[];
}

/** Redacts personal data at every point where text comes in, goes out, or passes a tool. */
export function createHook(config: Config = {}) {
  const types = config.types ?? ['email', 'dob'];
  return defineHook({
    points: ['preInput', 'preToolUse', 'postToolUse', 'preOutput'],
    run(point, payload, ctx) {
      const given: Readonly<Record<string, unknown>> = { ...payload };
      const counts = new Map<Type, number>();
      const changed: Record<string, unknown> = {};
      for (const field of FIELDS[point]) {
        const redacted = mapStrings(given[field], (text, place) => {
          const finds = find(text, place, types);
          for (const { type } of finds) counts.set(type, (counts.get(type) ?? 0) + 1);
          return replaceSpans(text, finds, ({ type }) => DETECTORS[type].label);
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

function find(text: string, place: StringPlace, types: readonly Type[]): (Span & { type: Type })[] {
  return types.flatMap((type) =>
    DETECTORS[type].find(text, place).map((span) => ({ ...span, type })),
  );
}
