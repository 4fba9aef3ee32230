import { ACTIONS } from '../sdk/decisions.ts';
import type { Schema } from '../sdk/json-schema.ts';
import { POINT_NAMES, POINTS, type Point, type PointNames, type PointRow } from '../sdk/points.ts';
import { code, codes, heading, table } from './markdown.ts';
import { typeOf } from './schema-type.ts';

const CONTRACT_TITLES: Readonly<Record<keyof PointNames, string>> = {
  amplifier: 'Amplifier',
  agentOs: 'agent-os',
  standardAgents: 'Standard Agents',
  harness: 'harness',
};

const CLOSED_FAILURES: Readonly<Record<PointRow['closedFailure'], string>> = {
  block: 'blocks',
  suppress: 'suppresses',
  replace: 'puts the standard reason in place of the text',
  record: 'is recorded; nothing can be stopped here',
};

const INTRODUCTION = `# Points

Written from the table of points (\`sdk/points/\`) by \`npm run docs\`; do not edit.

A point is a place in an agent's life where hooks run. A **gate** can stop what it guards, a
**transform** can change it, an **observer** only sees it. Every payload also has \`timestamp\` (when
the point fired, ISO 8601 in UTC) and, inside a model call, \`requestId\`; both are the host's.`;

/** The text of docs/points.md. */
export function pointsPage(): string {
  const parts = [INTRODUCTION, overview(), heading(2, 'Decisions'), decisions()];
  for (const point of POINT_NAMES) parts.push(heading(2, point), section(point));
  return `${parts.join('\n\n')}\n`;
}

function overview(): string {
  const rows = POINT_NAMES.map((point) => {
    const row = POINTS[point];
    return [`[${point}](#${point.toLowerCase()})`, row.kind, row.fires, row.failPolicy];
  });
  return table(['point', 'kind', 'fires when', 'failPolicy'], rows);
}

function decisions(): string {
  const rows = Object.entries(ACTIONS).map(([action, row]) => {
    const legal = POINT_NAMES.filter((point) => POINTS[point].decisions.some((a) => a === action));
    const keys = Object.keys(row.keys).map((key) => code(key));
    const where = legal.length === POINT_NAMES.length ? 'everywhere' : legal.join(', ');
    return [code(action), row.means, keys.join(', '), where];
  });
  const note = 'In the order of precedence: the first of these that any hook gives is the verdict.';
  return `${note}\n\n${table(['action', 'means', 'keys', 'legal at'], rows)}`;
}

function section(point: Point): string {
  const row = POINTS[point];
  const parts = [`Fires when ${row.fires}.`, facts(row)];
  const fields = Object.entries(row.payload.properties).map(([name, schema]) => [
    code(name),
    typeOf(schema),
    presence(row, name, schema),
    row.writable.includes(name) ? 'yes' : '',
    row.content.includes(name) ? 'yes' : '',
  ]);
  parts.push(table(['field', 'type', 'there', 'writable', 'content'], fields));
  const names = foreignNames(row.names);
  if (names !== '') parts.push(names);
  return parts.join('\n\n');
}

function facts(row: PointRow): string {
  const lines = [
    `- Kind: ${row.kind}`,
    `- Decisions: ${codes(row.decisions)}`,
    `- Content fields need: ${row.reads === null ? 'nothing' : code(row.reads)}`,
    `- Acting needs: ${row.gates === null ? 'nothing, for nothing can be done' : code(row.gates)}`,
    `- Default failPolicy: ${code(row.failPolicy)}`,
    `- A failure under \`closed\`: ${CLOSED_FAILURES[row.closedFailure]}`,
  ];
  if (row.onBlock !== undefined) lines.push(`- A block: ${row.onBlock}`);
  return lines.join('\n');
}

function presence(row: PointRow, name: string, schema: Schema): string {
  if (schema.default !== undefined) return `default ${code(JSON.stringify(schema.default))}`;
  return row.payload.required?.includes(name) === true ? 'always' : 'optional';
}

function foreignNames(names: PointNames): string {
  const lines = Object.entries(CONTRACT_TITLES).flatMap(([contract, title]) => {
    const list = names[contract as keyof PointNames];
    return list === undefined ? [] : [`${title} ${codes(list)}`];
  });
  return lines.length === 0 ? '' : `Names in other contracts: ${lines.join('; ')}.`;
}
