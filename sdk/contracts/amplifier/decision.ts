import { ASK_DEFAULTS, type Decision, type InjectionInput } from '../../decisions.ts';
import { POINTS, type Point } from '../../points.ts';
import { changesOf } from './events.ts';
import { CONTINUE, type HookResult } from './hook-result.ts';
import { plain } from './plain-data.ts';

/** The longest wait for a person. */
const DAY_MS = 86_400_000;

type Extras = Pick<Decision, 'inject' | 'notice' | 'suppressOutput'>;

/**
 * The decision that a result means at a point. An action that cannot have its effect there is told in a line of the log
 * and passes, as it does in the original; `ask_user` where nobody can be asked denies.
 */
export function decisionOf(
  result: HookResult,
  point: Point,
  log: (line: string) => void,
): Decision {
  if (result === CONTINUE) return { action: 'allow' };
  const extras = extrasOf(result);
  const legal = POINTS[point].decisions;
  const isLegal = (action: Decision['action']): boolean => legal.includes(action);
  const pass = (): Decision => {
    log(`${result.action} has no effect at ${point}`);
    return { action: 'allow', ...extras };
  };
  switch (result.action) {
    case 'continue':
    case 'inject_context':
      return { action: 'allow', ...extras };
    case 'modify': {
      if (result.data === null) return { action: 'allow', ...extras };
      return isLegal('modify')
        ? { action: 'modify', payload: changesOf(point, plain(result.data)), ...extras }
        : pass();
    }
    case 'deny':
      return isLegal('block') ? { action: 'block', ...reasonOf(result), ...extras } : pass();
    case 'ask_user':
      if (isLegal('ask')) return { ...askOf(result), ...extras };
      return isLegal('block')
        ? { action: 'block', reason: 'No approval system available', ...extras }
        : pass();
  }
}

function reasonOf({ reason }: HookResult): { readonly reason?: string } {
  return reason === null ? {} : { reason };
}

function askOf(result: HookResult): Decision {
  const prompt = result.approval_prompt ?? ASK_DEFAULTS.prompt;
  const timeoutMs = Math.min(Math.max(1, Math.round(result.approval_timeout * 1000)), DAY_MS);
  const options = result.approval_options ?? [];
  return {
    action: 'ask',
    reason: result.reason || prompt || ASK_DEFAULTS.prompt,
    prompt,
    options: options.length > 0 ? options : ASK_DEFAULTS.options,
    timeoutMs,
    default: result.approval_default,
  };
}

function extrasOf(result: HookResult): Extras {
  const inject = injectionsOf(result);
  // A question has the person's attention already.
  const isShown = result.user_message && result.action !== 'ask_user';
  const { user_message: text, user_message_level: level, user_message_source: source } = result;
  return {
    ...(inject.length > 0 && { inject }),
    ...(isShown && { notice: { text: text ?? '', level, ...(source !== null && { source }) } }),
    ...(result.suppress_output && { suppressOutput: true }),
  };
}

function injectionsOf(result: HookResult): InjectionInput[] {
  if (result.action !== 'inject_context') return [];
  const { context_injection: content, context_injection_role: role, ephemeral } = result;
  const { append_to_last_tool_result } = result;
  const first = content === null ? [] : [{ content, role, ephemeral, append_to_last_tool_result }];
  return [...first, ...result.context_injections].map((item) => {
    const isEphemeral = item.ephemeral ?? false;
    return {
      content: item.content,
      role: item.role ?? 'system',
      ephemeral: isEphemeral,
      // It places what is not kept; what is kept is a message of its own.
      appendToLastToolResult: isEphemeral && (item.append_to_last_tool_result ?? false),
    };
  });
}
