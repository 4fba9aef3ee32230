import type { HookDraft } from '../../runtime/temporary-runtime.ts';

/** A hook of Standard Agents in an isolate, for the calls of one session. */
export function hookOf(
  scene: string,
  point: string,
  module: string,
  manifest: Readonly<Record<string, unknown>> = {},
): HookDraft {
  return { scene, module, manifest: { contract: 'standard-agents', points: [point], ...manifest } };
}

/** A module of a hook whose `execute` is the given text. */
export function defined(hook: string, id: string, execute: string): string {
  return `import { defineHook } from '@standardagents/spec';
export default defineHook({ hook: '${hook}', id: '${id}', execute: ${execute} });`;
}
