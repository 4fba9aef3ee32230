import { existsSync, readFileSync } from 'node:fs';

const SEED = new URL('../../../../shared/reference/seeds/standard-agents.txt', import.meta.url);

/** Whether the text of Standard Agents lies beside the checkout. */
export const hasSeed = existsSync(SEED);

/** The code blocks of the text that define the hook of this id, character for character; the last is the fullest. */
export function seedExample(id: string): string {
  const text = readFileSync(SEED, 'utf8');
  const blocks = [...text.matchAll(/^```typescript\n([\s\S]*?)^```/gm)].map(
    ([, code]) => code ?? '',
  );
  const block = blocks.findLast((code) => code.includes(`id: '${id}'`));
  if (block === undefined) throw new Error(`The text has no example of ${id}`);
  return block;
}

/** An example as a module: a fragment has neither import nor export in the text. */
export function seedModule(id: string): string {
  const code = seedExample(id);
  if (code.includes('export default')) return code;
  return `import { defineHook } from '@standardagents/spec';\nexport default ${code}`;
}

/** The code block of the text that defines a prompt and an agent, character for character. */
export function seedAgents(): string {
  const text = readFileSync(SEED, 'utf8');
  const block = /^```typescript\n(\/\/ Prompt with explicit hooks\n[\s\S]*?)^```/m.exec(text)?.[1];
  if (block === undefined) throw new Error('The text has no example of prompts and agents');
  return block;
}
