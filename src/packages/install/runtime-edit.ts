import { applyEdits, modify, type FormattingOptions, type JSONPath } from 'jsonc-parser';
import type { RuntimeFile } from '../../config/runtime-file.ts';

/** What an entry of `packages` is to say; what is not named stays as it is. */
export interface EntryEdit {
  readonly package: string;
  readonly version?: string;
  readonly use?: readonly string[];
  readonly grants: readonly string[];
  readonly partial?: boolean;
}

/**
 * Writes an entry into the text of a runtime.json, or changes the one that is there. All else keeps its order, its
 * indentation and its line ends.
 */
export function setEntry(text: string, edit: EntryEdit): string {
  const index = indexOf(text, edit.package);
  const entries = entriesOf(text);
  if (entries === undefined) return change(text, ['packages'], [edit]);
  if (index === -1) return change(text, ['packages', -1], edit);
  if (typeof entries[index] === 'string') return change(text, ['packages', index], edit);
  let edited = text;
  for (const [key, value] of Object.entries(edit)) {
    const before = (entries[index] as Readonly<Record<string, unknown>>)[key];
    if (JSON.stringify(before) === JSON.stringify(value)) continue;
    edited = change(edited, ['packages', index, key], value);
  }
  return edited;
}

/** Takes a package out of the text of a runtime.json, with each entry that it has. */
export function removeEntry(text: string, name: string): string {
  let edited = text;
  for (let index = indexOf(text, name); index !== -1; index = indexOf(edited, name)) {
    edited = change(edited, ['packages', index], undefined);
  }
  return edited;
}

/** An index of -1 is the end of a list. */
function change(text: string, path: JSONPath, value: unknown): string {
  const options = { formattingOptions: formattingOf(text), isArrayInsertion: path.at(-1) === -1 };
  return applyEdits(text, modify(text, path, value, options));
}

function entriesOf(text: string): RuntimeFile['packages'] {
  return (JSON.parse(text.replace(/^\ufeff/, '')) as RuntimeFile).packages;
}

function indexOf(text: string, name: string): number {
  const entries = entriesOf(text) ?? [];
  return entries.findIndex((entry) => (typeof entry === 'string' ? entry : entry.package) === name);
}

/** How a text is indented, by its first indented line. */
function formattingOf(text: string): FormattingOptions {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol,
  };
}
