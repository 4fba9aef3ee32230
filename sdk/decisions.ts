import type { Schema } from './json-schema.ts';

/** One row per action of a decision. */
export interface ActionRow {
  /** What it means, for docs and error messages. */
  readonly means: string;
  /** The verdict takes the lowest number. */
  readonly precedence: number;
  /** Keys that only this action has, besides {@link COMMON_KEYS}. */
  readonly keys: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
}

const TEXT = { type: 'string' } as const;

/** Every action, in the order of precedence. */
export const ACTIONS = {
  block: { means: 'it does not happen', precedence: 0, keys: {}, required: [] },
  ask: {
    means: 'a person decides',
    precedence: 1,
    keys: {
      reason: { type: 'string', minLength: 1 },
      prompt: TEXT,
      options: { type: 'array', items: TEXT, minItems: 1, maxItems: 10 },
      timeoutMs: { type: 'integer', minimum: 1, maximum: 86_400_000 },
      default: { enum: ['allow', 'deny'] },
    },
    required: ['reason'],
  },
  rework: {
    means: 'the model must try again with this feedback',
    precedence: 2,
    keys: { feedback: { type: 'string', minLength: 1 } },
    required: ['feedback'],
  },
  suppress: {
    means: 'the client does not see it, or sees the text given',
    precedence: 3,
    keys: { text: TEXT },
    required: [],
  },
  result: {
    means: 'the guarded operation does not run; this is its outcome',
    precedence: 4,
    keys: { result: {}, isError: { type: 'boolean' } },
    required: ['result'],
  },
  modify: {
    means: 'it goes on with these fields replaced',
    precedence: 5,
    keys: { payload: { type: 'object' }, note: TEXT },
    required: ['payload'],
  },
  allow: { means: 'it goes on', precedence: 6, keys: {}, required: [] },
} as const satisfies Record<string, ActionRow>;

/** The name of an action. */
export type Action = keyof typeof ACTIONS;

/** The actions in the order of precedence. */
export const ACTION_NAMES = Object.keys(ACTIONS) as readonly Action[];

/** The answer that nearly every run gives, as the sandbox writes it; it needs no parser. */
export const PLAIN_ALLOW = '{"action":"allow"}';

/** Keys that every decision may carry; an action's own row may ask more of one. `retry` is legal at preRetry alone. */
export const COMMON_KEYS = {
  reason: TEXT,
  inject: {
    type: 'array',
    maxItems: 32,
    items: {
      type: 'object',
      properties: {
        content: TEXT,
        role: { enum: ['system', 'user', 'assistant'] },
        ephemeral: { type: 'boolean' },
        appendToLastToolResult: { type: 'boolean' },
        silent: { type: 'boolean' },
      },
      required: ['content'],
      additionalProperties: false,
    },
  },
  notice: {
    type: 'object',
    properties: {
      text: TEXT,
      level: { enum: ['info', 'warning', 'error'] },
      source: { type: 'string', maxLength: 128 },
    },
    required: ['text'],
    additionalProperties: false,
  },
  suppressOutput: { type: 'boolean' },
  outputs: { type: 'object' },
  retry: {
    type: 'object',
    properties: {
      abort: { type: 'boolean' },
      delayMs: { type: 'integer', minimum: 0, maximum: 3_600_000 },
      model: { type: 'string', minLength: 1 },
    },
    additionalProperties: false,
  },
} as const satisfies Record<string, Schema>;

/** Defaults of an `ask`; source: the contracts' approval fields. */
export const ASK_DEFAULTS = {
  prompt: 'Allow this operation?',
  options: ['Allow', 'Deny'],
  timeoutMs: 300_000,
  default: 'deny',
} as const;

/** The reason of a block whose hook gave none. */
export function defaultReason(hook: string): string {
  return `Blocked by hook "${hook}"`;
}

/** The reason of a block that a failure under a closed policy makes; the text is fixed. */
export function failedReason(hook: string): string {
  return `Hook "${hook}" failed (fail-closed)`;
}

/** Text that a hook adds to what the model reads. */
export interface Injection {
  readonly content: string;
  readonly role: 'system' | 'user' | 'assistant';
  readonly ephemeral: boolean;
  readonly appendToLastToolResult: boolean;
  /** Kept and read by the model, not shown to users. */
  readonly silent?: boolean;
}

/** An injection as a hook writes it: all but the content has a default. */
export type InjectionInput = Pick<Injection, 'content'> & Partial<Injection>;

/** A line for the person in front of the agent. */
export interface Notice {
  readonly text: string;
  readonly level: 'info' | 'warning' | 'error';
  /** Who it is from in the hook's own words; its name, if absent. */
  readonly source?: string;
}

/** What becomes of a failed model request; legal at preRetry. */
export interface RetryControl {
  readonly abort?: boolean;
  readonly delayMs?: number;
  readonly model?: string;
}

interface Extras {
  readonly reason?: string;
  readonly inject?: readonly InjectionInput[];
  readonly notice?: Pick<Notice, 'text'> & Partial<Notice>;
  readonly suppressOutput?: boolean;
  readonly outputs?: Readonly<Record<string, unknown>>;
  readonly retry?: RetryControl;
}

/** One hook's answer. Exactly one of these shapes, or the run is a failure `invalid_decision`. */
export type Decision = Extras &
  (
    | { readonly action: 'allow' }
    | { readonly action: 'block' }
    | {
        readonly action: 'ask';
        readonly reason: string;
        readonly prompt?: string;
        readonly options?: readonly string[];
        readonly timeoutMs?: number;
        readonly default?: 'allow' | 'deny';
      }
    | {
        readonly action: 'modify';
        readonly payload: Readonly<Record<string, unknown>>;
        readonly note?: string;
      }
    | { readonly action: 'result'; readonly result: unknown; readonly isError?: boolean }
    | { readonly action: 'rework'; readonly feedback: string }
    | { readonly action: 'suppress'; readonly text?: string }
  );
