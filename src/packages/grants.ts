import { covers, parseCapability, shortfall } from '../../sdk/capabilities.ts';

/** Which of the declared capabilities hold, and which do not. */
export interface Grant {
  readonly granted: readonly string[];
  readonly missing: readonly string[];
}

/**
 * What a hook may do: the part of its declaration that the operator's grants cover, never more. A grant with a scope,
 * under a declaration without one, gives that scope alone, and the declaration stays missing.
 */
export function grantTo(declared: readonly string[], grants: readonly string[]): Grant {
  const missing = shortfall(declared, grants);
  const whole = declared.filter((text) => !missing.includes(text));
  const narrowed = grants.filter((text) => {
    const capability = parseCapability(text);
    if (capability?.scope === undefined) return false;
    const isInside = covers(declared, capability.name, capability.scope);
    return isInside && !covers(whole, capability.name, capability.scope);
  });
  return { granted: [...whole, ...narrowed], missing };
}
