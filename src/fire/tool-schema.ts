import type { Payload } from '../chain/call.ts';
import { compileForeignSchema, type CompiledSchema } from '../json-validator.ts';
import type { Context } from '../verdict.ts';

/** Says why a rewritten tool call must not run; `undefined` when nothing is against it. */
export type ToolCheck = (before: Payload, after: Payload, context: Context) => string | undefined;

/** Characters of a tool's JSON Schema that are still compiled. */
const SCHEMA_CHARS = 256 * 1024;
/** Compiled schemas that are kept. */
const KEPT = 256;

/**
 * Holds the arguments of a changed tool call against the schema of the tool that it now calls. A tool whose schema
 * should be known and is not, or cannot be used, is refused.
 */
export function createToolCheck(): ToolCheck {
  const compile = createCompiler();
  return (before, after, context) => {
    const isRenamed = after['toolName'] !== before['toolName'];
    const schema = schemaOf(after['toolName'] as string, isRenamed, context);
    if (schema === undefined) {
      const isExpected = context.toolSchema !== undefined || context.toolSchemas !== undefined;
      return isRenamed && isExpected ? 'the schema of the new tool is not known' : undefined;
    }
    const compiled = compile(schema);
    if (!compiled.ok) return `the schema of the tool cannot be used: ${compiled.detail}`;
    const misfit = compiled.misfit(after['args']);
    return misfit === undefined
      ? undefined
      : `its arguments do not fit the schema of the tool: ${misfit}`;
  };
}

function schemaOf(
  tool: string,
  isRenamed: boolean,
  { toolSchema, toolSchemas }: Context,
): object | undefined {
  if (!isRenamed && toolSchema !== undefined) return toolSchema;
  return toolSchemas !== undefined && Object.hasOwn(toolSchemas, tool)
    ? toolSchemas[tool]
    : undefined;
}

/** Compiles by text and keeps what was used last. */
function createCompiler(): (schema: object) => CompiledSchema {
  const kept = new Map<string, CompiledSchema>();
  return (schema) => {
    const text = textOf(schema);
    if (text === undefined || !text.startsWith('{'))
      return { ok: false, detail: 'it is no JSON object' };
    if (text.length > SCHEMA_CHARS) return { ok: false, detail: 'it is too large' };
    const compiled = kept.get(text) ?? compileForeignSchema(JSON.parse(text) as object);
    kept.delete(text);
    kept.set(text, compiled);
    if (kept.size > KEPT) kept.delete(kept.keys().next().value as string);
    return compiled;
  };
}

function textOf(schema: object): string | undefined {
  try {
    return JSON.stringify(schema) as string | undefined;
  } catch {
    return undefined;
  }
}
