import { apply, deferred, freeze, parse, record, settle } from './intrinsics.ts';

/** Makes `ctx.fetch` of the bridge call: its answer, a status and a text, becomes what hooks know as a response. */
export function fetchWith(
  call: (...args: unknown[]) => Promise<unknown>,
): (...args: unknown[]) => Promise<object> {
  return (...args) => {
    const { promise, resolve, reject } = deferred<object>();
    settle(apply(call, undefined, args), (answer) => resolve(responseOf(answer as Answer)), reject);
    return promise;
  };
}

interface Answer {
  readonly status: number;
  readonly url: string;
  readonly headers: object;
  readonly body: string;
}

/** The part of a web Response that needs no stream. Read as often as one likes: the text is here already. */
function responseOf({ status, url, headers, body }: Answer): object {
  return freeze(
    record({
      ok: status >= 200 && status <= 299,
      status,
      url,
      headers: freeze(headers),
      text: (): Promise<string> => settled(() => body),
      json: (): Promise<unknown> => settled(() => parse(body)),
    }),
  );
}

function settled<T>(make: () => T): Promise<T> {
  const { promise, resolve, reject } = deferred<T>();
  try {
    resolve(make());
  } catch (error) {
    reject(error);
  }
  return promise;
}
