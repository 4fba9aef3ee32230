/** @signalbox/sdk: what the author of a hook imports. */
export { allow, ask, block, modify, result, rework, suppress, type AskOptions } from './decide.ts';
export {
  defineHook,
  type Hook,
  type HookContext,
  type HookFilter,
  type HookStore,
  type RunArguments,
} from './hook.ts';

export type {
  Action,
  Decision,
  Injection,
  InjectionInput,
  Notice,
  RetryControl,
} from './decisions.ts';
export type { FailPolicy, Manifest } from './manifest.ts';
export type { PayloadInput, Payloads, Point } from './points.ts';

export { findDatesOfBirth, isBirthKey, type DateOfBirthContext } from './text/dates-of-birth.ts';
export { findDates } from './text/dates.ts';
export { findEmails } from './text/emails.ts';
export { fold, type Folded } from './text/fold.ts';
export { findCards, findSocialSecurityNumbers } from './text/identity-numbers.ts';
export { mapJsonText, type ChangeString, type StringPlace } from './text/json-text.ts';
export { mapStrings, type MapStringsOptions } from './text/map-strings.ts';
export { mergeSpans, replaceSpans, type Span } from './text/spans.ts';
