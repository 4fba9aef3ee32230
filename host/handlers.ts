import { LIMITS } from '../sdk/limits.ts';
import type { HandlerEntry } from '../sdk/contracts/adapter.ts';
import { isPoint } from '../sdk/points.ts';

/** What a load reports of its handlers: none of its own, a list, or something that is no such list. */
export type ReportedHandlers =
  | { readonly ok: true; readonly handlers: readonly HandlerEntry[] | undefined }
  | { readonly ok: false; readonly detail: string };

const NAME = /^([A-Za-z0-9_][A-Za-z0-9._-]{0,127})?$/;
const EVENT = /^[\x21-\x7e]{1,128}$/;
const KEYS = ['name', 'point', 'event', 'priority'];

/** Reads the handlers that a sandbox reports, which may be hostile. The empty text means that there are none. */
export function readHandlers(text: string): ReportedHandlers {
  if (text === '') return { ok: true, handlers: undefined };
  if (text.length > LIMITS.handlersChars) return malformed('the list is too long');
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch {
    return malformed('the list is not JSON');
  }
  if (!Array.isArray(list)) return malformed('it is no list');
  if (list.length > LIMITS.handlers) return malformed(`there are more than ${LIMITS.handlers}`);
  const taken = new Set<string>();
  for (const item of list as unknown[]) {
    if (!isHandler(item)) return malformed('one of them has a wrong shape');
    const key = `${item.point} ${item.name}`;
    if (taken.has(key)) return malformed(`two at ${item.point} are called "${item.name}"`);
    taken.add(key);
  }
  // Every item was looked at, key by key.
  return { ok: true, handlers: list as HandlerEntry[] };
}

function isHandler(item: unknown): item is HandlerEntry {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return false;
  if (!Object.keys(item).every((key) => KEYS.includes(key))) return false;
  const { name, point, event, priority } = item as Readonly<Record<string, unknown>>;
  return (
    typeof name === 'string' &&
    NAME.test(name) &&
    typeof point === 'string' &&
    isPoint(point) &&
    (event === undefined || (typeof event === 'string' && EVENT.test(event))) &&
    (priority === undefined || (typeof priority === 'number' && Number.isFinite(priority)))
  );
}

function malformed(detail: string): ReportedHandlers {
  return { ok: false, detail: `the handlers that the module registered cannot be read: ${detail}` };
}
