import type { ObjectSchema, Schema } from '../sdk/json-schema.ts';
import { MANIFEST_SCHEMA, RUNTIME_SCHEMA } from '../sdk/schemas.ts';
import { ENVIRONMENT } from '../src/config/environment.ts';
import { code, heading, table } from './markdown.ts';
import { typeOf } from './schema-type.ts';

const INTRODUCTION = `# Settings

Written from the schemas of both files by \`npm run docs\`; do not edit. The schemas themselves, for
editors, are in \`sdk/schemas/\`. A key that is not listed here is an error.`;

const ON_RUNTIME = `What an operator writes. Paths are relative to the file. \`SIGNALBOX_CACHE\` names another folder
for installed packages than \`packages-cache/\` beside it.`;

const ON_VARIABLES = `What differs from machine to machine can be said by variables of the environment, which win
over \`runtime.json\`. An empty one counts as unset, \`none\` lifts a limit, paths are relative to the
file as well. They are read where \`runtime.json\` is read from its file, at a reload again. What hooks
may do has none: that is for the file and its reviews. Others: \`SIGNALBOX_CACHE\`, \`SIGNALBOX_LLM_URL\`,
\`SIGNALBOX_LLM_MODEL\` and \`SIGNALBOX_LLM_KEY\` for the model of \`ctx.llm\` and \`signalbox run\`,
\`SIGNALBOX_SECRET_<NAME>\` for \`ctx.secret\`, \`OTEL_…\` for traces, \`NO_COLOR\`.`;

const ON_HOOK = `What the author of a hook writes. Keys that only describe (\`version\`, \`author\`, \`tags\`,
\`x-…\` and the like) may stand beside these.`;

/** The text of docs/settings.md. */
export function settingsPage(): string {
  const parts = [
    INTRODUCTION,
    heading(2, code('runtime.json')),
    ON_RUNTIME,
    settings(RUNTIME_SCHEMA),
    heading(3, 'Variables'),
    ON_VARIABLES,
    table(
      ['variable', 'key', 'value'],
      ENVIRONMENT.map(({ variable, part, key, schema }) => [
        code(variable),
        code(`${part}.${key}`),
        typeOf(schema).replace('`null`', '`none`'),
      ]),
    ),
    heading(2, code('hook.json')),
    ON_HOOK,
    settings(MANIFEST_SCHEMA),
  ];
  return `${parts.join('\n\n')}\n`;
}

function settings(schema: ObjectSchema): string {
  return table(['key', 'value', 'default', 'what it is'], rowsOf(schema, ''));
}

function rowsOf(schema: Schema, at: string): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, value]) => {
    const path = at === '' ? key : `${at}.${key}`;
    const inner = innerOf(value, path);
    const preset = value.default === undefined ? '' : code(JSON.stringify(value.default));
    const isNeeded = schema.required?.includes(key) === true;
    const about = [isNeeded ? 'needed' : '', value.description ?? ''].filter(Boolean).join('; ');
    const row = [code(path), inner.length > 0 ? shortType(value) : typeOf(value), preset, about];
    // A section that only holds keys needs no row of its own.
    return value.type === 'object' && inner.length > 0 && about === '' ? inner : [row, ...inner];
  });
}

/** The rows of the keys within a value: its own, those by name, those of its items. */
function innerOf(value: Schema, path: string): string[][] {
  if (value.properties !== undefined) return rowsOf(value, path);
  if (typeof value.additionalProperties === 'object') {
    return rowsOf(value.additionalProperties, `${path}.<name>`);
  }
  const forms = [value.items, ...(value.items?.anyOf ?? [])];
  return forms.flatMap((form) => (form === undefined ? [] : rowsOf(form, `${path}[]`)));
}

function shortType(value: Schema): string {
  return value.type === 'array' ? 'array' : 'object';
}
