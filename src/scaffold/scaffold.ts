import { CAPABILITIES, parseCapability } from '../../sdk/capabilities.ts';
import { POINTS, type Point } from '../../sdk/points.ts';
import { samplePayload } from '../testing/sample-payload.ts';
import type { ScaffoldPlan } from './plan.ts';
import { fillTemplate } from './template.ts';

/** How a hook is written. */
export interface ScaffoldStyle {
  /** A package of its own, or a folder in `hooks/` of a checkout. */
  readonly kind: 'package' | 'local';
  readonly language: 'ts' | 'js';
  /** The version of Signalbox that it is written for. */
  readonly version: string;
}

const WORD = 'forbidden-word';
/** Editors complete hook.json by it. */
const SCHEMA_LINE = '  "$schema": "../../node_modules/@signalbox/sdk/schemas/hook.schema.json",\n';

/** The files of a new hook, by their path in its folder. */
export function scaffold(plan: ScaffoldPlan, style: ScaffoldStyle): ReadonlyMap<string, string> {
  return style.kind === 'package' ? packageFiles(plan, style) : localFiles(plan, style);
}

function packageFiles(plan: ScaffoldPlan, style: ScaffoldStyle): Map<string, string> {
  const { hook, isGate } = plan;
  const values = { ...valuesOf(plan, style.version), schema: SCHEMA_LINE };
  const { language } = style;
  const files = new Map([
    ['package.json', fillTemplate('package.json', values)],
    ['README.md', fillTemplate('readme.md', values)],
    ['.gitignore', fillTemplate('gitignore', values)],
    ['.github/workflows/test.yml', fillTemplate('ci.yml', values)],
    [`hooks/${hook}/hook.json`, fillTemplate('hook.json', values)],
    [
      `hooks/${hook}/index.${language}`,
      fillTemplate(`${isGate ? 'gate' : 'observe'}.${language}`, values),
    ],
    [`test/${hook}.test.mjs`, fillTemplate('test.mjs', values)],
    ...fixturesOf(plan),
  ]);
  if (language === 'ts') files.set('tsconfig.json', fillTemplate('tsconfig.json', values));
  return files;
}

/** A local hook imports nothing, so that it runs where no package is installed. */
function localFiles(plan: ScaffoldPlan, { version }: ScaffoldStyle): Map<string, string> {
  const { hook, isGate } = plan;
  const values = { ...valuesOf(plan, version), schema: '' };
  return new Map([
    [`hooks/${hook}/hook.json`, fillTemplate('hook.json', values)],
    [`hooks/${hook}/index.mjs`, fillTemplate(`local.${isGate ? 'gate' : 'observe'}.mjs`, values)],
    [`hooks/${hook}/README.md`, fillTemplate('local-readme.md', values)],
    ...fixturesOf(plan),
  ]);
}

function valuesOf(plan: ScaffoldPlan, version: string): Record<string, string> {
  const { packageName, hook, points, capabilities, isGate } = plan;
  const [first] = points as readonly [Point, ...Point[]];
  const description = isGate
    ? 'Stops what mentions a word of a list'
    : 'Notes what mentions a word of a list';
  return {
    package: packageName,
    hook,
    version,
    // The range of a major: before 1.0 that is the minor.
    sdk: version.replace(/^(0\.\d+|\d+)\..*$/, '$1'),
    description,
    points: points.map((point) => `\`${point}\``).join(', '),
    pointList: listOf(points),
    capabilityList: listOf(capabilities),
    capabilities: capabilities.map(capabilityRow).join('\n'),
    failure: isGate ? 'what it guards is blocked' : 'nothing is stopped',
    entry: JSON.stringify(
      { packages: [{ package: packageName, grants: capabilities }] },
      undefined,
      2,
    ),
    firstPoint: first,
    samplePayload: literalOf(payloadOf(first, 'about the secret-plan')),
    expectation: isGate ? 'toBlock(/not allowed/)' : 'toAllow()',
  };
}

function capabilityRow(text: string): string {
  const name = parseCapability(text)?.name;
  const gives = name === undefined ? '' : CAPABILITIES[name].gives;
  return `| \`${text}\` | ${gives} | to find the words, and to stop what has them |`;
}

function fixturesOf({ hook, points, isGate }: ScaffoldPlan): [string, string][] {
  return points.flatMap((point): [string, string][] => {
    const folder = `hooks/${hook}/fixtures`;
    const plain = { point, payload: payloadOf(point, 'hello'), expect: { action: 'allow' } };
    const expect = isGate
      ? { action: 'block', reason: 'This mentions something that is not allowed here' }
      : { action: 'allow' };
    const found = { point, payload: payloadOf(point, `a ${WORD}`), expect };
    return [
      [`${folder}/${point}-allows.json`, pretty(plain)],
      [`${folder}/${point}-${isGate ? 'blocks' : 'notes'}.json`, pretty(found)],
    ];
  });
}

function payloadOf(point: Point, text: string): Record<string, unknown> {
  const payload = samplePayload(point, { text, open: text, isFull: true });
  // What the host sets, and what only says what is known anyway, is noise in a fixture.
  const { required = [] } = POINTS[point].payload;
  const { content } = POINTS[point];
  const isKept = (key: string): boolean => required.includes(key) || content.includes(key);
  return Object.fromEntries(Object.entries(payload).filter(([key]) => isKept(key)));
}

function pretty(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** A list as JavaScript. */
function listOf(items: readonly string[]): string {
  return `[${items.map((item) => `"${item}"`).join(', ')}]`;
}

function literalOf(value: unknown): string {
  return JSON.stringify(value);
}
