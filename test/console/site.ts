import { openServer, type Server } from '../../src/server/server.ts';
import type { LiveRuntime } from '../../src/live-runtime.ts';
import { openTemporary } from '../runtime/temporary-runtime.ts';

/** A text that runs in a page that takes it for more than a text. */
export const HOSTILE = `<img src=x onerror="document.title='pwned'"><script>document.title='pwned'</script>`;

/** A runtime with hooks that decide in every way, and a server in front of it. */
export interface Site {
  readonly runtime: LiveRuntime;
  readonly url: string;
  /** The same behind a token. */
  readonly lockedUrl: string;
  readonly close: () => Promise<void>;
}

export const TOKEN = 'a-token-of-a-test-that-is-long-enough';

const HOOKS = {
  trimmer: {
    run: `payload.toolName === 'pay'
      ? { action: 'modify', payload: { args: { ...payload.args, amount: 12 } } }
      : { action: 'allow' }`,
    manifest: { description: 'Cuts amounts' },
  },
  guard: {
    run: `payload.toolName === 'cancel'
      ? { action: 'block', reason: ${JSON.stringify(HOSTILE)} }
      : { action: 'allow' }`,
    manifest: { priority: 1, label: HOSTILE },
  },
  asker: {
    run: `payload.toolName === 'pay'
      ? { action: 'ask', reason: 'It costs money', prompt: 'Pay ' + payload.args.amount + '?' }
      : { action: 'allow' }`,
    manifest: { priority: 2 },
  },
  watcher: {
    run: `payload.toolName === 'mail' ? { action: 'block', reason: 'No mail' } : { action: 'allow' }`,
    manifest: { priority: 3 },
  },
  redactor: {
    run: `({ action: 'modify', payload: { text: payload.text.replaceAll('secret', '[gone]') } })`,
    manifest: { points: ['preInput'] },
  },
  passer: { manifest: { points: ['sessionStart'] } },
  faulty: {
    run: `{ throw new Error('no') }`,
    manifest: { points: ['postTurn'] },
  },
} as const;

/** Opens it. The maker closes it. */
export async function openSite(): Promise<Site> {
  const temporary = await openTemporary(HOOKS, {
    approvals: { enabled: true },
    hooks: { mode: { watcher: 'shadow' } },
  });
  const { runtime } = temporary;
  const servers: Server[] = [];
  const serve = async (token?: string): Promise<string> => {
    const server = await openServer(runtime, {
      host: '127.0.0.1',
      port: 0,
      payloadBytes: 4 * 1024 * 1024,
      version: '0.0.0',
      ...(token !== undefined && { token }),
    });
    servers.push(server);
    return server.url;
  };
  return {
    runtime,
    url: await serve(),
    lockedUrl: await serve(TOKEN),
    async close() {
      for (const server of servers) await server.close();
      await temporary.remove();
    },
  };
}
