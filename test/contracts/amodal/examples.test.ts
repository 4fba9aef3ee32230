import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openServer, type Server } from '../../../src/server/server.ts';
import { ROOT } from '../../house/imports.ts';
import { openFolder, type Folder } from '../folder.ts';

const SEED = join(ROOT, '../shared/reference/seeds/amodal.txt');
const seed = existsSync(SEED) ? readFileSync(SEED, 'utf8') : '';

/** The lines of the text from one that starts so to one that is so, character for character. */
function between(start: string, end: string): string {
  const from = seed.indexOf(`\n${start}`) + 1;
  const to = seed.indexOf(`\n${end}\n`, from);
  return seed.slice(from, to + end.length + 1);
}

/** The n-th block of the text that is a JSON object of its own. */
function json(after: string): Readonly<Record<string, unknown>> {
  const from = seed.indexOf('\n{\n', seed.indexOf(after));
  const text = seed.slice(from, seed.indexOf('\n}\n', from) + 3);
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}

/** What curl sends in the text. */
function body(): string {
  return /-d '(\{[\s\S]*?\n {2}\})'/.exec(seed)?.[1] ?? '';
}

const MANIFEST = () => between('{\n  "name": "ready-to-quote-guard"', '}');
const MODULE = () => between('// hooks/ready-to-quote-guard/index.mjs', '}');
const plain = (name: string): Readonly<Record<string, string>> => ({
  [`hooks/${name}/hook.json`]: JSON.stringify({
    name,
    points: ['preToolUse'],
    capabilities: ['reads_tool_io', 'gates_tools'],
    timeoutMs: 10_000,
  }),
  [`hooks/${name}/index.mjs`]: "export default () => ({ run: () => ({ action: 'allow' }) });",
});

describe.skipIf(seed === '')(
  'the text of Amodal, character for character (needs ../shared)',
  () => {
    let folder: Folder;
    let server: Server;

    beforeAll(async () => {
      folder = await openFolder({
        files: {
          'hooks/ready-to-quote-guard/hook.json': MANIFEST(),
          'hooks/ready-to-quote-guard/index.mjs': MODULE(),
          ...plain('pii-redactor'),
          ...plain('verbose-audit'),
        },
        config: { ...json('Chain configuration'), ...json('Hooks from packages') },
      });
      server = await openServer(folder.runtime, {
        host: '127.0.0.1',
        port: 0,
        token: undefined,
        payloadBytes: null,
        version: '0.0.0',
        drainMs: 1000,
        onFault: () => undefined,
      });
    }, 120_000);

    afterAll(async () => {
      await server.close();
      await folder.remove();
    });

    test('[AM53b] [AM6] [AM20] the guard runs in its sandbox and stops what it guards against', async () => {
      const value = { recommendation: 'ready-to-quote' };
      const verdict = await folder.runtime.fire('preToolUse', {
        toolName: 'store__submissions__set',
        args: { key: 'sub_a', value },
      });
      expect(verdict).toMatchObject({
        action: 'block',
        reason: 'A submission with missing documents cannot be ready-to-quote.',
        hook: 'ready-to-quote-guard',
      });
      const other = await folder.runtime.fire('preToolUse', { toolName: 'store__claims__set' });
      expect(other.action).toBe('allow');
    });

    test('[AM41] [AM42] the chain has its order and its disabled hook', async () => {
      const { trace } = await folder.runtime.fire('preToolUse', { toolName: 'x' });
      expect(trace.map(({ hook }) => hook)).toEqual(['pii-redactor', 'ready-to-quote-guard']);
      const { absent } = folder.runtime.inventory();
      expect(absent).toContainEqual(
        expect.objectContaining({ hook: 'verbose-audit', reason: 'disabled' }),
      );
    });

    test('[AM48] a package that is declared and not installed is a warning, and the agent starts', () => {
      const { warnings } = folder.runtime.inventory();
      expect(JSON.stringify(warnings)).toContain('@acme/compliance-pack');
    });

    test('[AM49] [AM50] [AM51] the requests of the text get what it says', async () => {
      const inventory = await (await fetch(`${server.url}/inspect/hooks`)).text();
      expect(inventory).toContain('"ready-to-quote-guard"');
      const answer = await fetch(`${server.url}/inspect/hooks/test`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: body(),
      });
      expect(await answer.json()).toMatchObject({
        action: 'block',
        reason: 'A submission with missing documents cannot be ready-to-quote.',
        blocked: true,
        modified: false,
        hooks: [{ name: 'ready-to-quote-guard' }],
        logs: [{ line: 'blocked store__submissions__set: docs incomplete' }],
      });
    });
  },
);
