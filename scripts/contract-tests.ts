import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The systems by the prefix of their ids: how many features each has, and which have letters. */
export const SYSTEMS = {
  AM: { title: 'Amodal (contract `signalbox`)', count: 54, more: ['AM53b'], without: [] },
  AP: {
    title: 'Amplifier (contract `amplifier`)',
    count: 67,
    more: [
      'AP13b',
      ...letters('AP45', 'abcdefg'),
      ...letters('AP58', 'abcdefghi'),
      ...letters('AP66', 'bcde'),
    ],
    without: ['AP45', 'AP58'],
  },
  AO: { title: 'agent-os (contract `agent-os`)', count: 56, more: ['AO19b'], without: [] },
  SA: {
    title: 'Standard Agents (contract `standard-agents`)',
    count: 44,
    more: ['SA43b', 'SA43c'],
    without: [],
  },
  HP: {
    title: 'Harness patterns and astorlm (contract `harness`)',
    count: 27,
    more: [],
    without: [],
  },
} as const satisfies Record<
  string,
  {
    readonly title: string;
    readonly count: number;
    readonly more: readonly string[];
    readonly without: readonly string[];
  }
>;

/** The prefix of a system's ids. */
export type System = keyof typeof SYSTEMS;

function letters(id: string, all: string): string[] {
  return Array.from(all, (letter) => id + letter);
}

/** The ids of a system's features, in order. */
export function idsOf(system: System): string[] {
  const { count, more, without } = SYSTEMS[system];
  const plain = Array.from({ length: count }, (_, index) => `${system}${index + 1}`);
  const left = plain.filter((id) => !(without as readonly string[]).includes(id));
  return [...left, ...more].toSorted((a, b) => numberOf(a) - numberOf(b) || (a < b ? -1 : 1));
}

function numberOf(id: string): number {
  return Number.parseInt(id.slice(2), 10);
}

/** A test that shows a feature. */
export interface FeatureTest {
  readonly name: string;
  readonly file: string;
}

const ROOT = join(import.meta.dirname, '..');
const NAMED = /(['"`])((?:\[[A-Za-z]+\d+[a-z]?\]\s*)+)((?:\\.|(?!\1)[^\\\n])*)\1/g;

/** The tests of the checkout by the ids that their names begin with. */
export function testsById(): ReadonlyMap<string, readonly FeatureTest[]> {
  const byId = new Map<string, FeatureTest[]>();
  for (const file of testFiles()) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    for (const [, , ids = '', rest = ''] of text.matchAll(NAMED)) {
      const name = rest.replaceAll(/\\(.)/g, '$1').trim();
      for (const [, id = ''] of ids.matchAll(/\[(\w+)\]/g)) {
        byId.set(id, [...(byId.get(id) ?? []), { name, file }]);
      }
    }
  }
  return byId;
}

function testFiles(): string[] {
  return readdirSync(join(ROOT, 'test'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .toSorted();
}
