import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Fills a file of `templates/`. Every `{{name}}` in it must have a value. */
export function fillTemplate(name: string, values: Readonly<Record<string, string>>): string {
  const text = readFileSync(join(import.meta.dirname, 'templates', `${name}.txt`), 'utf8');
  return text.replace(/\{\{(\w+)\}\}/g, (_, key: string) => {
    const value = values[key];
    if (value === undefined) throw new Error(`the template ${name} has no value for ${key}`);
    return value;
  });
}
