import { SignalboxError } from '../../sdk/errors.ts';
import { nearest } from '../config/nearest.ts';
import type { Catalog } from '../packages/catalog.ts';
import type { TestRequest } from '../runtime.ts';
import { applicable, type BoundHook, type Chains } from './bound-hook.ts';

/** The hooks that a test is about: one by name, or the chain as it would run. Throws `hook_unknown`, `request_invalid`. */
export function chosenHooks(
  { point, hookName, context = {} }: TestRequest,
  chains: Chains,
  { hooks }: Catalog,
): readonly BoundHook[] {
  const chain = chains.of(point);
  if (hookName === undefined) return applicable(chain, context).enforced;
  const chosen = [...chain.enforced, ...chain.shadow].filter(
    ({ name, entry }) => name === hookName || entry.name === hookName,
  );
  if (chosen.length > 0) return chosen;
  const names = hooks.map(({ name }) => name);
  if (!names.includes(hookName)) {
    throw new SignalboxError('hook_unknown', {
      hook: hookName,
      nearest: nearest(hookName, names) ?? '',
    });
  }
  throw new SignalboxError('request_invalid', {
    detail: `hook "${hookName}" is not bound to ${point}`,
  });
}
