import { Client, type Dispatcher } from 'undici';

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

const clients = new Map<string, Client[]>();

process.on('message', (order: LoadOrder) => {
  void perform(order).then((result) => process.send?.(result));
});
process.once('disconnect', () => {
  for (const client of [...clients.values()].flat()) void client.destroy();
});

async function perform(order: LoadOrder): Promise<LoadResult> {
  const { target } = order;
  if (order.kind === 'sample') {
    const [call] = callersOf(target, 1);
    const times: number[] = [];
    for (let count = 0; count < order.calls; count += 1) {
      const startedAt = performance.now();
      await call?.();
      times.push((performance.now() - startedAt) * 1000);
    }
    return { kind: 'sample', times };
  }
  let count = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + order.forMs;
  await Promise.all(
    callersOf(target, order.connections).map(async (call) => {
      while (performance.now() < endsAt) {
        await call();
        count += 1;
      }
    }),
  );
  return { kind: 'rate', perSecond: (count / (performance.now() - startedAt)) * 1000 };
}

/** Callers with a connection each, which stays open from one order to the next. */
function callersOf({ origin, path, bodies }: Target, connections: number) {
  const known = clients.get(origin) ?? [];
  clients.set(origin, known);
  while (known.length < connections) known.push(new Client(origin, { pipelining: 1 }));
  return known.slice(0, connections).map((client, at) => {
    const body = Buffer.from(bodies[at % bodies.length] ?? '');
    const headers = {
      'content-type': 'application/json',
      'content-length': String(body.length),
    };
    return () => post(client, { path, method: 'POST', headers, body });
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
