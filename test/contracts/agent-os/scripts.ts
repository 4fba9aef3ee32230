import type { HookDraft } from '../../runtime/temporary-runtime.ts';

/** A script of agent-os in an isolate, for the calls of one session. */
export function script(
  scene: string,
  points: readonly string[],
  module: string,
  manifest: Readonly<Record<string, unknown>> = {},
): HookDraft {
  const { home, ...keys } = manifest;
  return {
    scene,
    module,
    manifest: { contract: 'agent-os', points, ...keys },
    ...(typeof home === 'string' && { home }),
  };
}
