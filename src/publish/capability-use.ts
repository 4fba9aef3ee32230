import { parseCapability, type CapabilityName } from '../../sdk/capabilities.ts';
import type { Manifest } from '../../sdk/manifest.ts';
import { POINTS } from '../../sdk/points.ts';
import { TRACES_BY_CONTRACT, type Traces } from './capability-traces.ts';

/** What is wrong with a package, or may be. */
export interface Finding {
  /** `error` stops the publication. */
  readonly level: 'error' | 'warning';
  readonly place: string;
  readonly text: string;
}

interface Held {
  readonly text: string;
  readonly name: CapabilityName | undefined;
}

type Found = Omit<Finding, 'place'>;

/**
 * Holds what a manifest declares against what its points need and what the bundled code calls, in the words of its contract.
 * A YAML manifest that lists no capabilities has those of its points: nothing is too much of what nobody wrote.
 */
export function checkCapabilityUse(manifest: Manifest, code: string, place: string): Finding[] {
  const held = manifest.capabilities.map((text): Held => ({
    text,
    name: parseCapability(text)?.name,
  }));
  const traces = TRACES_BY_CONTRACT[manifest.contract];
  const isWritten = !/\.ya?ml$/.test(place);
  const findings = [
    ...bridgesIn(traces, held, code),
    ...contentIn(manifest, traces, { held, code }),
    ...fieldsIn(manifest, held, code),
  ];
  return findings
    .filter(({ level }) => isWritten || level === 'error')
    .map((finding) => ({ ...finding, place }));
}

/** Bridges that are called and not declared, or declared and not called. */
function bridgesIn({ bridges }: Traces, held: readonly Held[], code: string): Found[] {
  return bridges.flatMap(({ capability, certain, possible, call }): Found[] => {
    const declared = held.filter(({ name }) => name === capability);
    if (declared.length === 0) {
      const text = `calls ${call} and does not declare "${capability}"`;
      return certain.test(code) ? [{ level: 'error', text }] : [];
    }
    if (possible === undefined || possible.test(code)) return [];
    return declared.map(({ text }) => ({
      level: 'warning',
      text: `declares "${text}" and never uses it`,
    }));
  });
}

interface Written {
  readonly held: readonly Held[];
  readonly code: string;
}

/** Content that none of the points has, and rights to act that nothing uses. */
function contentIn({ points }: Manifest, traces: Traces, { held, code }: Written): Found[] {
  const readable = new Set<string | null>(points.map((point) => POINTS[point].reads));
  const gateable = new Set<string | null>(points.map((point) => POINTS[point].gates));
  return held.flatMap(({ text, name = '' }): Found[] => {
    const isCalled = traces.bridges.some(
      ({ capability, certain }) => capability === name && certain.test(code),
    );
    if (name.startsWith('reads_') && !readable.has(name) && !isCalled) {
      return [
        { level: 'warning', text: `declares "${text}", and none of its points has such content` },
      ];
    }
    if (!name.startsWith('gates_')) return [];
    if (!gateable.has(name)) {
      return [
        { level: 'warning', text: `declares "${text}", and none of its points is of that kind` },
      ];
    }
    return traces.acts === undefined || traces.acts.test(code)
      ? []
      : [{ level: 'warning', text: `declares "${text}" and only ever allows` }];
  });
}

/** Fields of payloads in our own shape that are read without the capability that delivers them. */
function fieldsIn({ contract, points }: Manifest, held: readonly Held[], code: string): Found[] {
  if (contract !== 'signalbox') return [];
  return points.flatMap((point): Found[] => {
    const { reads, content } = POINTS[point];
    if (reads === null || held.some(({ name }) => name === reads)) return [];
    const touched = content.find((field) => new RegExp(`\\bpayload\\??\\.${field}\\b`).test(code));
    if (touched === undefined) return [];
    const text = `reads payload.${touched} at ${point}, which "${reads}" alone delivers`;
    return [{ level: 'error', text }];
  });
}
