import { stringIndexOf, stringSlice } from '../intrinsics.ts';
import { putValue } from './inspect.ts';
import { put, putVisible, type Line } from './line.ts';

/** Adds the arguments of a console call: texts as they are, other values as literals, `%s` and its kind filled in. */
export function putMessage(line: Line, values: readonly unknown[]): void {
  let used = 0;
  // Length first: an index that an array lacks is looked up on `Object.prototype`.
  if (values.length > 1 && typeof values[0] === 'string') used = putFormat(line, values[0], values);
  for (let index = used; index < values.length && line.left > 0; index += 1) {
    if (index > 0) put(line, ' ');
    putPlain(line, values[index]);
  }
}

/** Adds a format with its values in place, and returns how many arguments that took. */
function putFormat(line: Line, format: string, values: readonly unknown[]): number {
  let used = 1;
  let from = 0;
  for (;;) {
    const at = stringIndexOf(format, '%', from);
    if (at < 0 || at === format.length - 1 || line.left <= 0) break;
    const kind = format[at + 1] as string;
    const isFilled = used < values.length && stringIndexOf('sdifjoOc', kind) >= 0;
    putVisible(line, stringSlice(format, from, isFilled ? at : at + 1));
    from = isFilled || kind === '%' ? at + 2 : at + 1;
    if (!isFilled) continue;
    putFilled(line, kind, values[used]);
    used += 1;
  }
  putVisible(line, stringSlice(format, from));
  return used;
}

function putFilled(line: Line, kind: string, value: unknown): void {
  // Style sheets have no place in a log.
  if (kind === 'c') return;
  if (kind === 's') return putPlain(line, value);
  const isNumeric = kind === 'd' || kind === 'i' || kind === 'f';
  if (!isNumeric) return putValue(line, value);
  if (typeof value === 'bigint') return putValue(line, value);
  // Objects are not asked for a number: that would call them.
  const number = typeof value === 'number' || typeof value === 'string' ? +value : NaN;
  putValue(line, kind === 'i' ? number - (number % 1) : number);
}

function putPlain(line: Line, value: unknown): void {
  if (typeof value === 'string') putVisible(line, value);
  else putValue(line, value);
}
