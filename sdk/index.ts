/** @signalbox/sdk: what the author of a hook imports. */
export { allow, ask, block, modify, result, rework, suppress, type AskOptions } from './decide.ts';
export { defineHook, type Hook, type RunArguments } from './hook.ts';

export {
  makeHookResult as HookResult,
  type HookResult as AmplifierResult,
} from './contracts/amplifier/hook-result.ts';
export type { Coordinator } from './contracts/amplifier/coordinator.ts';
export type { HookObject } from './contracts/harness/hook-object.ts';
export { mergeSessionHooks } from './contracts/harness/merge.ts';
export {
  parseAllowedTools,
  restrictToolsHook,
  type ToolPolicyOptions,
} from './contracts/harness/tool-policy.ts';

export type { CapabilityText } from './capabilities.ts';
export type {
  HookContext,
  HookFilter,
  HookRequest,
  HookResponse,
  HookSignal,
  HookStore,
  StoreReader,
  StoreWriter,
} from './hook-context.ts';
export type { Changes, DecisionAt } from './legal-decisions.ts';

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

export { findIbans } from './text/bank-accounts.ts';
export { findDatesOfBirth, isBirthKey, type DateOfBirthContext } from './text/dates-of-birth.ts';
export { findDates } from './text/dates.ts';
export { findEmails } from './text/emails.ts';
export { fold, type Folded } from './text/fold.ts';
export { findCards, findSocialSecurityNumbers } from './text/identity-numbers.ts';
export { findNationalIds } from './text/national-ids.ts';
export { findPhones } from './text/phones.ts';
export { mapJsonText, type ChangeString, type StringPlace } from './text/json-text.ts';
export { mapStrings, type MapStringsOptions } from './text/map-strings.ts';
export { isPathWithin, normalisePath, type PathBase } from './text/paths.ts';
export { shellCommands, shellOptions, type ShellCommand } from './text/shell.ts';
export { mergeSpans, replaceSpans, type Span } from './text/spans.ts';
export { commandLine, isSameTool, toolKind, toolPaths, type ToolKind } from './text/tools.ts';
