import { CONTRACT_SHAPES } from './contract-shapes.ts';
import type { ScaffoldPlan } from './plan.ts';
import type { ScaffoldStyle } from './scaffold.ts';
import { fillTemplate } from './template.ts';

const REFUSAL = `const REFUSAL = 'This mentions something that is not allowed here';\n\n`;
/** Every sandbox has it; nothing that the types stand on says so. */
const CONSOLE = '<ts>declare const console: { log(...parts: unknown[]): void };\n\n</ts>';
const NOTE = `  const note = (point<ts>: string</ts>, value<ts>: unknown</ts>) => {
    if (found(value)) console.log(\`a word of the list at \${point}\`);
  };
`;

/** The text of the module of a new hook. A local one imports no value, so that it runs where no package is installed. */
export function writeModule(plan: ScaffoldPlan, { kind, language }: ScaffoldStyle): string {
  const words = fillTemplate(kind === 'local' ? 'words.local' : 'words', {}, language);
  if (plan.contract !== 'signalbox') {
    return `${contractModule(plan, { kind, language }).trimStart()}${words}`;
  }
  const { points, capabilities, isGate } = plan;
  const lists = {
    pointList: listOf(points.map(({ point }) => point)),
    capabilityList: listOf(capabilities),
  };
  const answer = isGate
    ? "{ action: 'block', reason: 'This mentions something that is not allowed here' }"
    : "{ action: 'allow' }";
  if (kind === 'local') return `${fillTemplate('signalbox.local', { answer }, language)}${words}`;
  const name = isGate ? 'signalbox.gate' : 'signalbox.observe';
  return `${fillTemplate(name, lists, language)}${words}`;
}

function contractModule(
  { contract, hook, points }: ScaffoldPlan,
  { kind, language }: Pick<ScaffoldStyle, 'kind' | 'language'>,
): string {
  if (contract === 'signalbox') return '';
  const parts = points.map(({ code }) => code).join(contract === 'agent-os' ? '\n\n' : '\n');
  const logs = /console|note\(/.test(parts);
  return fillTemplate(
    contract,
    {
      imports: importsOf(CONTRACT_SHAPES[contract].types, kind, language),
      refusal: `${logs ? CONSOLE : ''}${parts.includes('REFUSAL') ? REFUSAL : ''}`,
      note: parts.includes('note(') ? NOTE : '',
      parts,
      hook,
      native: points[0]?.native ?? '',
    },
    language,
  );
}

function importsOf(
  types: readonly string[],
  kind: ScaffoldStyle['kind'],
  language: ScaffoldStyle['language'],
): string {
  const typed = language === 'ts' ? types : [];
  if (kind === 'package') {
    const names = ['fold', 'mapStrings', ...typed.map((name) => `type ${name}`)];
    const line = `import { ${names.join(', ')} } from '@signalbox/sdk';\n`;
    return `${line}\n`;
  }
  // Where another import stands before it, a line still ends there.
  if (types.length === 0) return '\n';
  return typed.length === 0 ? '' : `import type { ${typed.join(', ')} } from '@signalbox/sdk';\n\n`;
}

function listOf(items: readonly string[]): string {
  return `[${items.map((item) => `'${item}'`).join(', ')}]`;
}
