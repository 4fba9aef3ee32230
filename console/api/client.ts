import { isLocked, token } from './token.ts';

/** What the server said instead of an answer, or `unreachable`. */
export class ApiError extends Error {
  readonly code: string;
  readonly hint: string;
  readonly status: number;

  constructor(
    message: string,
    {
      code,
      hint,
      status,
    }: { readonly code: string; readonly hint: string; readonly status: number },
  ) {
    super(message);
    this.code = code;
    this.hint = hint;
    this.status = status;
  }
}

/** What a request says besides its path. */
export interface Ask {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly body?: unknown;
  readonly signal?: AbortSignal;
}

/** Asks the server. The shape of the answer is the server's promise. Throws {@link ApiError}. */
export async function ask<T>(path: string, how: Ask = {}): Promise<T> {
  const response = await open(path, how);
  return (await response.json()) as T;
}

/** Asks the server and leaves the body to the caller. Throws {@link ApiError}. */
export async function open(
  path: string,
  {
    method = 'GET',
    body,
    signal,
    headers,
  }: Ask & { readonly headers?: Record<string, string> } = {},
): Promise<Response> {
  const response = await fetch(path, {
    method,
    headers: {
      ...headers,
      ...(token.value !== '' && { authorization: `Bearer ${token.value}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    credentials: 'omit',
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted === true) throw error;
    throw new ApiError('The server cannot be reached', {
      code: 'unreachable',
      hint: 'See whether it runs; this page tries again',
      status: 0,
    });
  });
  if (response.ok) return response;
  if (response.status === 401) isLocked.value = true;
  throw await refusal(response);
}

async function refusal(response: Response): Promise<ApiError> {
  const answer = (await response.json().catch(() => ({}))) as {
    error?: { code?: string; message?: string; hint?: string };
  };
  const {
    code = 'unknown',
    message = `The server answered ${response.status}`,
    hint = '',
  } = answer.error ?? {};
  return new ApiError(message, { code, hint, status: response.status });
}

/** A path with the parameters that are set. */
export function withQuery(path: string, query: Readonly<Record<string, string>>): string {
  const set = Object.entries(query).filter(([, value]) => value !== '');
  return set.length === 0 ? path : `${path}?${new URLSearchParams(set).toString()}`;
}
