import { LineCounter, parseDocument, visit } from 'yaml';

/** The value of a YAML text, or what is wrong with it and where. */
export type YamlText =
  | {
      readonly ok: true;
      readonly value: unknown;
      /** The line of a top-level key, from 1. */
      readonly lineOf: (key: string) => number | undefined;
    }
  | { readonly ok: false; readonly detail: string; readonly line?: number };

/** Deeper than any manifest; the parser recurses. */
const MAX_DEPTH = 64;

/**
 * Reads one YAML 1.2 document of plain data. Anchors, aliases, merge keys, tags and keys given twice are refused: a small
 * file with them stands for a large value, or for another than it seems. The caller caps the text.
 */
export function readYaml(text: string): YamlText {
  const lines = new LineCounter();
  const at = (offset: number | undefined): { line?: number } =>
    offset === undefined ? {} : { line: lines.linePos(offset).line };
  try {
    const tooDeep = findDepth(text);
    if (tooDeep !== undefined) return { ok: false, detail: 'nested too deep', line: tooDeep };
    const document = parseDocument(text, {
      lineCounter: lines,
      uniqueKeys: true,
      logLevel: 'error',
      prettyErrors: false,
      merge: false,
      schema: 'core',
    });
    let refused: { detail: string; line?: number } | undefined;
    visit(document, {
      Alias: (_key, node) => {
        refused ??= { detail: 'aliases (*) are not allowed', ...at(node.range?.[0]) };
        return visit.BREAK;
      },
      Node: (_key, node) => {
        if (node.anchor !== undefined) {
          refused ??= { detail: 'anchors (&) are not allowed', ...at(node.range?.[0]) };
        }
        if (node.tag !== undefined && !node.tag.startsWith('tag:yaml.org,2002:')) {
          refused ??= { detail: 'tags (!) are not allowed', ...at(node.range?.[0]) };
        }
        return refused === undefined ? undefined : visit.BREAK;
      },
    });
    if (refused !== undefined) return { ok: false, ...refused };
    const [error] = [...document.errors, ...document.warnings];
    if (error !== undefined) {
      return { ok: false, detail: plainMessage(error.message), ...at(error.pos[0]) };
    }
    const value: unknown = document.toJS({ maxAliasCount: 0 });
    return { ok: true, value, lineOf: (key) => lineOfKey(document, key, lines) };
  } catch {
    return { ok: false, detail: 'not readable as YAML' };
  }
}

/** The first line of a flow collection or an indent that is too deep. */
function findDepth(text: string): number | undefined {
  let depth = 0;
  for (const [index, line] of text.split('\n').entries()) {
    if ((/^[ -]*/.exec(line)?.[0].length ?? 0) > MAX_DEPTH * 8) return index + 1;
    for (const letter of line) {
      if (letter === '[' || letter === '{') depth += 1;
      if (letter === ']' || letter === '}') depth = Math.max(0, depth - 1);
      if (depth > MAX_DEPTH) return index + 1;
    }
  }
  return undefined;
}

function lineOfKey(
  document: ReturnType<typeof parseDocument>,
  key: string,
  lines: LineCounter,
): number | undefined {
  const { contents } = document;
  if (contents === null || !('items' in contents)) return undefined;
  for (const item of contents.items) {
    const name = (item as { readonly key?: { value?: unknown; range?: readonly number[] } }).key;
    const start = name?.range?.[0];
    if (name?.value === key && start !== undefined) return lines.linePos(start).line;
  }
  return undefined;
}

/** The parser's message without the excerpt of the text. */
function plainMessage(message: string): string {
  return (message.split('\n')[0] ?? message).replace(/ at line .*$/, '').replace(/:$/, '');
}
