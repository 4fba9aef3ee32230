import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOME } from '../../host/home.ts';

/** The languages that hooks are written in. */
export type Language = 'ts' | 'js';

/** What a template is filled with. */
export type TemplateValues = Readonly<Record<string, string>>;

/** Fills a file of `templates/`. Every `{{name}}` in it must have a value; `<ts>` and `<js>` hold what one language alone has. */
export function fillTemplate(name: string, values: TemplateValues, language?: Language): string {
  const text = readFileSync(join(HOME, 'src/scaffold/templates', `${name}.txt`), 'utf8');
  const filled = text.replace(/\{\{(\w+)\}\}/g, (_, key: string) => {
    const value = values[key];
    if (value === undefined) throw new Error(`the template ${name} has no value for ${key}`);
    return value;
  });
  return filled.replace(/<(ts|js)>([\s\S]*?)<\/\1>/g, (_, only: string, inner: string) =>
    only === language ? inner : '',
  );
}
