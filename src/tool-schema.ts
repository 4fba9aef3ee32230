import type { Payload } from './chain/call.ts';
import { compileForeignSchema, type Validator } from './json-validator.ts';
import type { Context } from './verdict.ts';

/** Says why rewritten arguments must not run; `undefined` when nothing is against them. */
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
    const name = after['toolName'] as string;
    const isRenamed = name !== before['toolName'];
    const named =
      context.toolSchemas !== undefined && Object.hasOwn(context.toolSchemas, name)
        ? context.toolSchemas[name]
        : undefined;
    const schema = named ?? (isRenamed ? undefined : context.toolSchema);
    const isExpected = context.toolSchema !== undefined || context.toolSchemas !== undefined;
    if (schema === undefined)
      return isRenamed && isExpected ? 'the schema of the new tool is not known' : undefined;
    const validate = compile(schema);
    if (typeof validate === 'string') return validate;
    try {
      const misfit = validate(after['args']);
      return misfit === undefined
        ? undefined
        : `its arguments do not fit the schema of the tool: ${misfit}`;
    } catch {
      return 'the schema of the tool refers to itself without end';
    }
  };
}

/** Compiles by text and keeps the validators that were used last; a text instead of one says what is wrong. */
function createCompiler(): (schema: object) => Validator | string {
  const kept = new Map<string, Validator | string>();
  return (schema) => {
    const text = JSON.stringify(schema);
    if (text.length > SCHEMA_CHARS) return 'the schema of the tool is too large';
    const compiled = kept.get(text) ?? compileText(text);
    kept.delete(text);
    kept.set(text, compiled);
    if (kept.size > KEPT) kept.delete(kept.keys().next().value as string);
    return compiled;
  };
}

function compileText(text: string): Validator | string {
  try {
    return compileForeignSchema(JSON.parse(text) as object);
  } catch {
    return 'the schema of the tool cannot be used';
  }
}
