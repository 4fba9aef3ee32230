import type { Point } from '../../sdk/points.ts';
import type { Context, Verdict } from '../../src/verdict.ts';
import {
  openTemporary,
  type HookDraft,
  type TemporaryConfig,
  type TemporaryRuntime,
} from '../runtime/temporary-runtime.ts';

/** A hook of a contract that acts in the session of its own name alone. */
export interface Scene {
  readonly module: string;
  readonly points?: readonly string[];
  /** In a worker of the local hooks; in an isolate, if absent. */
  readonly local?: boolean;
  readonly manifest?: Readonly<Record<string, unknown>>;
}

/** A runtime whose hooks act in one scene each. The maker calls `remove`. */
export interface Stage extends TemporaryRuntime {
  fire(scene: string, point: Point, payload: object, context?: Context): Promise<Verdict>;
  /** Fires a custom event, or one of the contract's that has no point of its own. */
  event(scene: string, name: string, data?: object): Promise<Verdict<'event'>>;
  /** Why the hook of a scene could not be loaded. */
  failureOf(scene: string): { readonly code: string; readonly detail: string } | undefined;
}

/** Opens a runtime with one hook per scene, all of one contract unless a manifest says otherwise. */
export async function openScenes(
  contract: string,
  scenes: Readonly<Record<string, Scene>>,
  config: TemporaryConfig = {},
): Promise<Stage> {
  const drafts = Object.entries(scenes).map(([name, scene]): [string, HookDraft] => [
    name,
    {
      module: scene.module,
      scene: name,
      ...(scene.local === true && { home: 'local' }),
      manifest: { contract, points: scene.points ?? ['event'], ...scene.manifest },
    },
  ]);
  const temporary = await openTemporary(Object.fromEntries(drafts), {
    approvals: { enabled: true },
    ...config,
  });
  const { runtime } = temporary;
  const fire: Stage['fire'] = (scene, point, payload, context = {}) =>
    runtime.fire(point, payload, { sessionId: scene, ...context });
  return {
    ...temporary,
    fire,
    event: async (scene, name, data = {}) =>
      (await fire(scene, 'event', { name, data })) as Verdict<'event'>,
    failureOf: (scene) => runtime.inventory().hooks.find(({ hook }) => hook === scene)?.failure,
  };
}

/** Who answered what in a verdict, in order. */
export function traceOf({ trace }: Verdict): string[] {
  return trace.map(({ hook, action }) => `${hook} ${action}`);
}
