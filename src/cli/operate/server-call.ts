import { SignalboxError } from '../../../sdk/errors.ts';
import { loadConfig } from '../../config/load-config.ts';
import { printable } from '../../config/printable.ts';
import type { Session } from '../session.ts';

/** Options of commands that speak to a server. */
export interface ServerFlags {
  readonly url?: string | undefined;
}

/** What a server is asked. */
export interface ServerRequest extends ServerFlags {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

/** What a server answered: its body, or its error. */
export type ServerAnswer =
  | { readonly ok: true; readonly body: unknown }
  | { readonly ok: false; readonly code: string; readonly message: string };

/** A change of many hooks starts many sandboxes. */
const TIMEOUT_MS = 120_000;

/** Asks the server of the session's runtime.json, or another. Throws `server_unreachable`. */
export async function callServer(
  { config, signal }: Session,
  { url, method, path, body }: ServerRequest,
): Promise<ServerAnswer> {
  const { server } = await loadConfig(config);
  const host = server.host.includes(':') ? `[${server.host}]` : server.host;
  const base = url ?? `http://${host}:${server.port}`;
  const token = process.env['SIGNALBOX_TOKEN'] ?? server.token;
  const unreachable = (detail: string): SignalboxError =>
    new SignalboxError('server_unreachable', { url: printable(base, 200), detail });
  if (!URL.canParse(path, base)) throw unreachable('it is no URL');
  const response = await fetch(new URL(path, base), {
    method,
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    redirect: 'error',
    headers: {
      ...(token !== undefined && token !== '' && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    throw unreachable(reasonOf(error));
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return { ok: true, body: answer };
  const { code, message } = errorIn(answer);
  return { ok: false, code: code ?? `HTTP ${response.status}`, message: message ?? '' };
}

function errorIn(answer: unknown): { readonly code?: string; readonly message?: string } {
  const error = (answer as { error?: unknown } | null | undefined)?.error;
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return {
    ...(typeof code === 'string' && { code: printable(code, 80) }),
    ...(typeof message === 'string' && { message: printable(message, 2000) }),
  };
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : undefined;
  if (!(cause instanceof Error)) return 'no answer';
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
}
