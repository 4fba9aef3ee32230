import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { SignalboxError } from '../../sdk/errors.ts';
import { completeConfig } from './complete-config.ts';
import { withEnvironment } from './environment.ts';
import { findConfigFault } from './fault.ts';
import { keyOf, readJsonText } from './json-text.ts';
import { printable } from './printable.ts';
import type { RuntimeConfig } from './runtime-config.ts';
import type { RuntimeFile } from './runtime-file.ts';

/** Far above any configuration that people write; a larger file is another file. */
const MAX_CONFIG_BYTES = 4 * 1024 * 1024;

/**
 * Reads a runtime.json, checks it and fills in what variables of the environment say, and the defaults.
 * Throws `config_missing`, `config_syntax`, `config_invalid`, each of which names the file, the latter two the line, the
 * last the key; and `environment_invalid`.
 */
export async function loadConfig(file: string): Promise<RuntimeConfig> {
  return parseConfig(await readConfigText(file), file, process.env);
}

/** Reads the text of a runtime.json; `file` is where it is from. Throws as {@link loadConfig} does. */
export function parseConfig(
  text: string,
  file: string,
  env: Readonly<Record<string, string | undefined>> = {},
): RuntimeConfig {
  const json = readJsonText(text);
  if (!json.ok) {
    const { line, column, detail } = json;
    throw new SignalboxError('config_syntax', { file, line, column, detail });
  }
  const fault = findConfigFault(json.value);
  if (fault !== undefined) {
    const key = keyOf(fault.path);
    const { line, column } = json.placeOf(fault.path);
    const detail = printable(fault.detail);
    throw new SignalboxError('config_invalid', { file, line, column, key, detail });
  }
  const path = resolve(file);
  // The schema has been checked, and RuntimeFile says the same in types.
  const settings = withEnvironment(json.value as RuntimeFile, env);
  return completeConfig(settings, { file: path, folder: dirname(path) });
}

/**
 * Takes a configuration as an object, for programs that have no file. Relative paths start from `folder`.
 * Throws `config_invalid`, with lines of the object's JSON text.
 */
export function configFromObject(value: unknown, folder: string): RuntimeConfig {
  const text = JSON.stringify(value, null, 2) ?? 'null';
  const { file: _, ...config } = parseConfig(text, resolve(folder, '(object)'));
  return { file: undefined, ...config };
}

async function readConfigText(file: string): Promise<string> {
  const fail = (detail: string): SignalboxError =>
    new SignalboxError('config_missing', { file, detail });
  const facts = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw fail(error.code === 'ENOENT' ? 'there is no such file' : (error.code ?? 'unreadable'));
  });
  if (!facts.isFile()) throw fail('it is not a file');
  if (facts.size > MAX_CONFIG_BYTES) throw fail(`it is larger than ${MAX_CONFIG_BYTES} bytes`);
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw fail(error.code ?? 'unreadable');
  });
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw fail('it is not UTF-8 text');
  }
}
