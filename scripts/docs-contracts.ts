import { CHOICES, DIFFERENCES } from '../sdk/contracts/differences.ts';
import { heading, table } from './markdown.ts';
import { idsOf, SYSTEMS, testsById, type FeatureTest, type System } from './contract-tests.ts';

const INTRODUCTION = `# Contracts

Hooks written for five systems run here as they are: \`contract\` in hook.json says whose shape a module has. This page is
written from the tests and from \`sdk/contracts/differences.ts\`: every feature of a system with the tests that show it, and
what is different on purpose.`;

/** The text of docs/contracts.md. */
export function contractsPage(): string {
  const tests = testsById();
  const parts = [
    INTRODUCTION,
    heading(2, 'Differences'),
    table(
      ['features', 'what is different', 'why', 'what an author loses'],
      DIFFERENCES.map(({ ids, differs, why, loses }) => [ids.join(' '), differs, why, loses]),
    ),
    heading(2, 'Where code and documents disagree'),
    table(
      ['features', 'what holds here'],
      CHOICES.map(({ ids, holds }) => [ids.join(' '), holds]),
    ),
    ...(Object.keys(SYSTEMS) as System[]).flatMap((system) => [
      heading(2, SYSTEMS[system].title),
      table(
        ['feature', 'shown by', 'in'],
        idsOf(system).flatMap((id) => rowsOf(id, tests.get(id) ?? [])),
      ),
    ]),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** One row per file, so that a feature with many tests stays readable. */
function rowsOf(id: string, tests: readonly FeatureTest[]): string[][] {
  const files = [...new Set(tests.map(({ file }) => file))];
  if (files.length === 0) {
    const isDifferent = DIFFERENCES.some(({ ids }) => ids.includes(id));
    return [[id, isDifferent ? 'different on purpose' : 'not shown', '']];
  }
  return files.map((file, index) => {
    const names = tests.filter((each) => each.file === file).map(({ name }) => name);
    return [index === 0 ? id : '', [...new Set(names)].join('; '), file];
  });
}
