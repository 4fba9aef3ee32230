import {
  findNodeAtLocation,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
} from 'jsonc-parser';
import { LIMITS } from '../../sdk/limits.ts';
import { printable } from './printable.ts';

/** A place in a text; both count from 1, columns in UTF-16 units. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** The way from the root of a JSON value to one of its parts. */
export type JsonPath = readonly (string | number)[];

/** A JSON value with a way back to its text, or the first thing that is wrong with the text. */
export type JsonText =
  | { readonly ok: true; readonly value: unknown; readonly placeOf: (path: JsonPath) => Place }
  | ({ readonly ok: false; readonly detail: string } & Place);

/**
 * Reads strict JSON: no comments, no trailing commas, no key twice in an object (readers disagree on which counts), no
 * `__proto__`, nested at most 256 deep. A byte order mark is passed over.
 */
export function readJsonText(given: string): JsonText {
  const text = given.startsWith('\ufeff') ? given.slice(1) : given;
  if (text.trim() === '') return failAt(text, 0, 'the file is empty');
  const depthFault = findDepthFault(text);
  if (depthFault !== undefined) return failAt(text, depthFault, 'nested too deep');
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  const [error] = errors;
  if (error !== undefined) return failAt(text, error.offset, describe(error));
  if (tree === undefined) return failAt(text, 0, 'not valid JSON');
  const fault = findKeyFault(tree);
  if (fault !== undefined) return failAt(text, fault.offset, fault.detail);
  try {
    const value: unknown = JSON.parse(text);
    return { ok: true, value, placeOf: (path) => placeAt(text, offsetOf(tree, path)) };
  } catch {
    // The parser of the tree is a shade more lenient than JSON.parse.
    return failAt(text, 0, 'not valid JSON');
  }
}

/** A path as people write it: `packages[1].use[0]`, `hooks.config["a.b"]`. */
export function keyOf(path: JsonPath): string {
  let key = '';
  for (const part of path) {
    if (typeof part === 'number') key += `[${part}]`;
    else if (/^[\w$-]+$/.test(part)) key += key === '' ? part : `.${part}`;
    else key += `["${printable(part, 80)}"]`;
  }
  return key;
}

function failAt(text: string, offset: number, detail: string): JsonText {
  return { ok: false, detail, ...placeAt(text, offset) };
}

function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
}

/** Both parsers recurse, so that the depth is bounded before they see the text. */
function findDepthFault(text: string): number | undefined {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index++) {
    const char = text[index];
    if (isInString) {
      if (char === '\\') index++;
      else if (char === '"') isInString = false;
    } else if (char === '"') isInString = true;
    else if (char === '{' || char === '[') {
      depth++;
      if (depth > LIMITS.nesting) return index;
    } else if (char === '}' || char === ']') depth--;
  }
  return undefined;
}

function describe(error: ParseError): string {
  const code = printParseErrorCode(error.error);
  if (code === 'InvalidCommentToken') return 'JSON has no comments';
  return code
    .replace(/([A-Z])/g, ' $1')
    .trim()
    .toLowerCase();
}

function findKeyFault(
  node: Node,
): { readonly offset: number; readonly detail: string } | undefined {
  if (node.type === 'object') {
    const seen = new Set<unknown>();
    for (const property of node.children ?? []) {
      const key: unknown = property.children?.[0]?.value;
      if (key === '__proto__')
        return { offset: property.offset, detail: 'no key may be "__proto__"' };
      if (seen.has(key)) {
        return {
          offset: property.offset,
          detail: `the key "${printable(String(key), 80)}" is there twice`,
        };
      }
      seen.add(key);
    }
  }
  for (const child of node.children ?? []) {
    const fault = findKeyFault(child);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Where a part begins, at its key if it has one; where it is not there, its nearest parent. */
function offsetOf(tree: Node, path: JsonPath): number {
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(tree, path.slice(0, length));
    if (node === undefined) continue;
    return node.parent?.type === 'property' ? node.parent.offset : node.offset;
  }
  return tree.offset;
}
