import { misfit } from '../../check-value.ts';
import type { Schema } from '../../json-schema.ts';

/** What a handler answers. */
export interface HookResult {
  readonly action: 'continue' | 'deny' | 'modify' | 'inject_context' | 'ask_user';
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly reason: string | null;
  readonly context_injection: string | null;
  readonly context_injection_role: 'system' | 'user' | 'assistant';
  readonly ephemeral: boolean;
  readonly approval_prompt: string | null;
  readonly approval_options: readonly string[] | null;
  /** Seconds. */
  readonly approval_timeout: number;
  readonly approval_default: 'allow' | 'deny';
  readonly suppress_output: boolean;
  readonly user_message: string | null;
  readonly user_message_level: 'info' | 'warning' | 'error';
  readonly user_message_source: string | null;
  readonly append_to_last_tool_result: boolean;
  readonly context_injections: readonly ContextInjection[];
}

/** One of several injections of one result. */
export interface ContextInjection {
  readonly content: string;
  readonly role?: 'system' | 'user' | 'assistant';
  readonly ephemeral?: boolean;
  readonly append_to_last_tool_result?: boolean;
}

/** The reason of the denial that an answer becomes which is no result. */
export const INVALID_RESPONSE = 'Hook handler returned invalid response';

/** A result that says nothing: the most common one. */
export const CONTINUE: HookResult = {
  action: 'continue',
  data: null,
  reason: null,
  context_injection: null,
  context_injection_role: 'system',
  ephemeral: false,
  approval_prompt: null,
  approval_options: null,
  approval_timeout: 300,
  approval_default: 'deny',
  suppress_output: false,
  user_message: null,
  user_message_level: 'info',
  user_message_source: null,
  append_to_last_tool_result: false,
  context_injections: [],
};

const TEXT: Schema = { type: 'string' };
const FLAG: Schema = { type: 'boolean' };
const ROLE: Schema = { enum: ['system', 'user', 'assistant'] };

/** `null` stands for the default wherever a field may have it. */
const SHAPES: Readonly<Record<keyof HookResult, Schema>> = {
  action: { enum: ['continue', 'deny', 'modify', 'inject_context', 'ask_user'] },
  data: { type: 'object' },
  reason: TEXT,
  context_injection: TEXT,
  context_injection_role: ROLE,
  ephemeral: FLAG,
  approval_prompt: TEXT,
  approval_options: { type: 'array', items: TEXT },
  approval_timeout: { type: 'number', minimum: 0 },
  approval_default: { enum: ['allow', 'deny'] },
  suppress_output: FLAG,
  user_message: TEXT,
  user_message_level: { enum: ['info', 'warning', 'error'] },
  user_message_source: TEXT,
  append_to_last_tool_result: FLAG,
  context_injections: {
    type: 'array',
    items: {
      type: 'object',
      properties: { content: TEXT, role: ROLE, ephemeral: FLAG, append_to_last_tool_result: FLAG },
      required: ['content'],
    },
  },
};

const NULLABLE: readonly string[] = Object.keys(CONTINUE).filter(
  (key) => CONTINUE[key as keyof HookResult] === null,
);

/** A result with the defaults of the contract; to be called with or without `new`. */
export function makeHookResult(fields: Partial<HookResult> = {}): HookResult {
  return { ...CONTINUE, ...fields };
}

/**
 * Reads what a handler returned: nothing is `continue`, a text is JSON. Keys that the contract does not know are left
 * out. `undefined` for anything that is no result.
 */
export function readHookResult(value: unknown): HookResult | undefined {
  if (value === undefined || value === null) return CONTINUE;
  const given = typeof value === 'string' ? parsed(value) : value;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined;
  const fields = given as Readonly<Record<string, unknown>>;
  const keys = Object.keys(fields);
  if (keys.length === 1 && fields['action'] === 'continue') return CONTINUE;
  const result: Record<string, unknown> = { ...CONTINUE };
  for (const key of Object.keys(SHAPES) as (keyof HookResult)[]) {
    const field = fields[key];
    if (field === undefined || (field === null && NULLABLE.includes(key))) continue;
    if (misfit(field, SHAPES[key], key) !== undefined) return undefined;
    result[key] = field;
  }
  // Every field was held against its shape.
  return result as unknown as HookResult;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
