import { CAPABILITIES, parseCapability } from '../../sdk/capabilities.ts';
import { samplePayload } from '../testing/sample-payload.ts';
import { POINTS } from '../../sdk/points.ts';
import { writeModule } from './hook-module.ts';
import type { PlannedPoint, ScaffoldPlan } from './plan.ts';
import { fillTemplate, type Language, type TemplateValues } from './template.ts';

/** How a hook is written. */
export interface ScaffoldStyle {
  /** A package of its own, or a folder in `hooks/` of a checkout. */
  readonly kind: 'package' | 'local';
  readonly language: Language;
  /** The version of Signalbox that it is written for. */
  readonly version: string;
  /** There is no package.json yet that could run the tests of a local hook. */
  readonly isFresh?: boolean;
}

const WORD = 'forbidden-word';
const REFUSAL = 'This mentions something that is not allowed here';
/** Editors complete hook.json by it. */
const SCHEMA_LINE = '  "$schema": "../../node_modules/@signalbox/sdk/schemas/hook.schema.json",\n';
/** Where the types of Standard Agents are; the module itself is the sandbox's. */
const SPEC_PATHS = `
    "paths": {
      "@standardagents/spec": ["./node_modules/@signalbox/sdk/dist/contracts/standard-agents-spec.d.ts"]
    },`;

/** The files of a new hook, by their path in its folder. */
export function scaffold(plan: ScaffoldPlan, style: ScaffoldStyle): ReadonlyMap<string, string> {
  const { hook } = plan;
  const values = valuesOf(plan, style);
  const { kind, language } = style;
  const files = new Map([
    [`hooks/${hook}/hook.json`, fillTemplate('hook.json', values)],
    // A folder of others may be CommonJS; the ending says that this is none.
    [
      `hooks/${hook}/index.${kind === 'local' && language === 'js' ? 'mjs' : language}`,
      writeModule(plan, style),
    ],
    ...fixturesOf(plan),
  ]);
  const set = (path: string, template: string): void =>
    void files.set(path, fillTemplate(template, values));
  if (kind === 'local') set(`hooks/${hook}/README.md`, 'local-readme.md');
  if (kind === 'package') {
    set('package.json', 'package.json');
    set('README.md', 'readme.md');
    set('.github/workflows/test.yml', 'ci.yml');
  } else if (style.isFresh === true) set('package.json', 'local-package.json');
  if (kind === 'package' || style.isFresh === true) {
    set('.gitignore', 'gitignore');
    set(`test/${hook}.test.mjs`, 'test.mjs');
    if (language === 'ts') set('tsconfig.json', 'tsconfig.json');
  }
  return files;
}

function valuesOf(plan: ScaffoldPlan, { kind, version }: ScaffoldStyle): TemplateValues {
  const { packageName, hook, contract, points, capabilities, isGate } = plan;
  const [first] = points as readonly [PlannedPoint, ...PlannedPoint[]];
  const does = isGate ? 'Stops' : 'Notes';
  const isFixed = contract === 'standard-agents';
  const word = isFixed ? WORD : 'secret-plan';
  return {
    package: packageName,
    hook,
    version,
    // The range of a major: before 1.0 that is the minor.
    sdk: version.replace(/^(0\.\d+|\d+)\..*$/, '$1'),
    description: `${does} what mentions a word of a list`,
    schema: kind === 'package' ? SCHEMA_LINE : '',
    contract: contract === 'signalbox' ? '' : `  "contract": "${contract}",\n`,
    config: isFixed ? '' : fillTemplate('config', {}).trimEnd(),
    points: points.map(({ point }) => `\`${point}\``).join(', '),
    pointList: listOf(points.map(({ point }) => point)),
    capabilityList: listOf(capabilities),
    capabilities: capabilities.map(capabilityRow).join('\n'),
    failure: isGate ? 'what it guards is blocked' : 'nothing is stopped',
    entry: JSON.stringify(
      { packages: [{ package: packageName, grants: capabilities }] },
      undefined,
      2,
    ),
    wordsNote: isFixed
      ? 'The list of words that it looks for stands in its module.'
      : `\`config.words\` is the list of words that it looks for; put your own under \`hooks.config.${hook}\`.`,
    paths: isFixed ? SPEC_PATHS : '',
    options: isFixed ? '{ hook }' : "{ hook, config: { words: ['secret-plan'] } }",
    testTitle: isFixed ? 'it finds its words' : 'its words are those of the config',
    firstPoint: first.point,
    samplePayload: JSON.stringify(payloadOf(first, `about the ${word}`)),
    expectation: expectationOf(first),
  };
}

function expectationOf({ action }: PlannedPoint): string {
  if (action === 'block') return 'toBlock(/not allowed/)';
  if (action === 'allow') return 'toAllow()';
  return action === 'modify' ? 'toModify()' : `toMatchObject({ action: '${action}' })`;
}

function capabilityRow(text: string): string {
  const name = parseCapability(text)?.name;
  const gives = name === undefined ? '' : CAPABILITIES[name].gives;
  return `| \`${text}\` | ${gives} | to find the words, and to stop what has them |`;
}

const VERBS: Readonly<Partial<Record<PlannedPoint['action'], string>>> = {
  allow: 'notes',
  block: 'blocks',
  modify: 'changes',
  result: 'answers',
  suppress: 'hides',
};

function fixturesOf({ hook, points }: ScaffoldPlan): [string, string][] {
  return points.flatMap((planned): [string, string][] => {
    const { point, action } = planned;
    const folder = `hooks/${hook}/fixtures`;
    const plain = { point, payload: payloadOf(planned, 'hello'), expect: { action: 'allow' } };
    const expect = action === 'block' ? { action, reason: REFUSAL } : { action };
    const found = { point, payload: payloadOf(planned, `a ${WORD}`), expect };
    return [
      [`${folder}/${point}-allows.json`, pretty(plain)],
      [`${folder}/${point}-${VERBS[action] ?? action}.json`, pretty(found)],
    ];
  });
}

function payloadOf({ point, native }: PlannedPoint, text: string): Record<string, unknown> {
  const sample = samplePayload(point, { text, open: text, isFull: true });
  // A handler of Amplifier hears one event alone.
  const payload = native.includes(':') && point === 'event' ? { ...sample, name: native } : sample;
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
