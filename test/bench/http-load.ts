import { Client, type Dispatcher } from 'undici';
import { openCallSocket, postOf, type CallSocket } from './http-socket.ts';

/** What a process that makes load is told to do: so many calls one after the other, or as many as go within a time. */
export type LoadOrder =
  | { readonly kind: 'sample'; readonly target: Target; readonly calls: number }
  | {
      readonly kind: 'rate';
      readonly target: Target;
      readonly connections: number;
      readonly forMs: number;
    };

/** Where calls go, and their bodies by turns. */
export interface Target {
  readonly origin: string;
  readonly path: string;
  readonly bodies: readonly string[];
}

/** The time of each call in microseconds, or how many there were in a second. */
export type LoadResult =
  | { readonly kind: 'sample'; readonly times: readonly number[] }
  | { readonly kind: 'rate'; readonly perSecond: number };

const clients = new Map<string, Client>();
const sockets = new Map<string, CallSocket[]>();

process.on('message', (order: LoadOrder) => {
  void perform(order).then((result) => process.send?.(result));
});
process.once('disconnect', () => {
  for (const client of clients.values()) void client.destroy();
  for (const socket of [...sockets.values()].flat()) socket.close();
});

async function perform(order: LoadOrder): Promise<LoadResult> {
  const { target } = order;
  if (order.kind === 'sample') {
    const call = callerOf(target);
    const times: number[] = [];
    for (let count = 0; count < order.calls; count += 1) {
      const startedAt = performance.now();
      await call();
      times.push((performance.now() - startedAt) * 1000);
    }
    return { kind: 'sample', times };
  }
  let count = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + order.forMs;
  await Promise.all(
    socketsOf(target, order.connections).map(async (call) => {
      while (performance.now() < endsAt) {
        await call();
        count += 1;
      }
    }),
  );
  return { kind: 'rate', perSecond: (count / (performance.now() - startedAt)) * 1000 };
}

/** A caller whose connection stays open from one order to the next. */
function callerOf({ origin, path, bodies }: Target): () => Promise<void> {
  const client = clients.get(origin) ?? new Client(origin, { pipelining: 1 });
  clients.set(origin, client);
  const body = Buffer.from(bodies[0] ?? '');
  const headers = { 'content-type': 'application/json', 'content-length': String(body.length) };
  return () => post(client, { path, method: 'POST', headers, body });
}

/** Callers with a connection each, which cost little, so that the machine is the server's. */
function socketsOf({ origin, path, bodies }: Target, connections: number) {
  const known = sockets.get(origin) ?? [];
  sockets.set(origin, known);
  while (known.length < connections) known.push(openCallSocket(origin));
  return known.slice(0, connections).map((socket, at) => {
    const request = postOf(origin, path, bodies[at % bodies.length] ?? '');
    return async (): Promise<void> => {
      const answer = await socket.call(request);
      const isPassed = answer.startsWith('HTTP/1.1 200 ') && answer.includes('"action":"allow"');
      if (!isPassed) throw new Error(`${path} answered ${answer.slice(0, 300)}`);
    };
  });
}

/** One call. Only an answer that lets it pass counts: what fails fast is no speed. */
function post(client: Client, options: Dispatcher.DispatchOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    let status = 0;
    client.dispatch(options, {
      onRequestStart() {},
      onResponseStart: (_controller, code) => void (status = code),
      onResponseData: (_controller, chunk) => void (text += chunk.toString('latin1')),
      onResponseEnd() {
        if (status === 200 && text.includes('"action":"allow"')) resolve();
        else reject(new Error(`${options.path} answered ${status} ${text.slice(0, 300)}`));
      },
      onResponseError: (_controller, error) => reject(error),
    });
  });
}
