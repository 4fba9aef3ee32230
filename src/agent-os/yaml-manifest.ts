import { CAPABILITIES, type CapabilityName } from '../../sdk/capabilities.ts';
import { LIMITS } from '../../sdk/limits.ts';
import { parseManifest, type ParsedManifest } from '../../sdk/manifest.ts';
import { POINT_NAMES, POINTS, type Point } from '../../sdk/points.ts';

type Given = Readonly<Record<string, unknown>>;

/** A manifest of agent-os in our words, and where its script is. */
export type YamlManifest =
  | (ParsedManifest & { readonly ok: true; readonly script?: string })
  | (ParsedManifest & { readonly ok: false });

/** The points of agent-os by their names there. */
const POINTS_OF: ReadonlyMap<string, Point> = new Map(
  POINT_NAMES.flatMap((point) => (POINTS[point].names.agentOs ?? []).map((name) => [name, point])),
);

/**
 * Reads the value of a `hook.yaml`. Priority is higher first there and becomes lower first; empty lists of `when` restrict
 * nothing; without `points` the functions of the script say them; without `capabilities` it has those of its points.
 */
export function parseYamlManifest(
  value: unknown,
  { name, isGlobal }: { readonly name: string; readonly isGlobal: boolean },
): YamlManifest {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return fault('', 'the manifest must be a map');
  }
  const { script, timeouts, points: named, ...rest } = value as Given;
  if (script !== undefined && (typeof script !== 'string' || script === '')) {
    return fault('script', '"script" must be a path or the source text');
  }
  const points = readPoints(named);
  if (typeof points === 'string') return fault('points', points);
  const timeoutMs = readTimeout(timeouts);
  if (typeof timeoutMs === 'string') return fault('timeouts', timeoutMs);
  const { priority, when, contract = 'agent-os' } = rest;
  if (contract !== 'agent-os') return fault('contract', 'a YAML manifest is one of agent-os');
  const parsed = parseManifest({
    name,
    capabilities: capabilitiesOf(points),
    ...withoutEmpty(rest),
    contract,
    points,
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(typeof priority === 'number' && { priority: priority === 0 ? 0 : -priority }),
    ...(when !== undefined && when !== null && { when: restrictions(when) }),
    ...(isGlobal && { global: true }),
  });
  return parsed.ok && script !== undefined ? { ...parsed, script } : parsed;
}

function fault(key: string, detail: string): YamlManifest {
  return { ok: false, key, detail };
}

/** A key without a value is one that is not there. */
function withoutEmpty(given: Given): Given {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
}

function readPoints(named: unknown): readonly Point[] | string {
  if (named === undefined || named === null) return [...POINTS_OF.values()];
  if (!Array.isArray(named)) return '"points" must be a list';
  const points: Point[] = [];
  for (const name of named as unknown[]) {
    const point = typeof name === 'string' ? pointOf(name) : undefined;
    if (point === undefined) {
      return `"${String(name).slice(0, 40)}" is no point of agent-os; its points: ${[...POINTS_OF.keys()].join(', ')}`;
    }
    points.push(point);
  }
  return points;
}

/** A point by its name in agent-os, or by ours. */
function pointOf(name: string): Point | undefined {
  return POINTS_OF.get(name) ?? [...POINTS_OF.values()].find((point) => point === name);
}

/** `timeouts: {hook_secs}` in milliseconds, at most what the operator's own settings may say. */
export function readTimeout(timeouts: unknown): number | string | undefined {
  if (timeouts === undefined || timeouts === null) return undefined;
  const { hook_secs: seconds } = timeouts as { readonly hook_secs?: unknown };
  if (seconds === undefined) return undefined;
  if (typeof seconds !== 'number' || !(seconds > 0)) return '"timeouts.hook_secs" must be positive';
  return Math.min(Math.max(1, Math.round(seconds * 1000)), LIMITS.maxTimeoutMs);
}

/** What the points can give a hook, and injections: agent-os itself has no capabilities. */
function capabilitiesOf(points: readonly Point[]): readonly string[] {
  const names = points.flatMap((point) => [POINTS[point].reads, POINTS[point].gates]);
  const wanted = new Set<CapabilityName | null>([...names, 'injects_context']);
  return Object.keys(CAPABILITIES).filter((name) => wanted.has(name as CapabilityName));
}

/** The fields of `when` that restrict anything. */
function restrictions(when: unknown): unknown {
  if (typeof when !== 'object' || Array.isArray(when)) return when;
  const fields = Object.entries(when as Given).filter(
    ([, list]) => list !== null && !(Array.isArray(list) && list.length === 0),
  );
  return Object.fromEntries(fields);
}
