import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAGES } from './docs.ts';

const folder = join(import.meta.dirname, '../docs');
mkdirSync(folder, { recursive: true });
for (const [name, write] of Object.entries(PAGES)) {
  writeFileSync(join(folder, name), write());
  console.log(`docs/${name}`);
}
