import { LIMITS } from '../../../sdk/limits.ts';
import {
  apply,
  create,
  defineProperty,
  MapCtor,
  mapDelete,
  mapGet,
  mapHas,
  mapSet,
  now,
  ObjectPrototype,
  bare,
  stringRepeat,
  type Callable,
} from '../intrinsics.ts';
import { putValue } from './inspect.ts';
import { nameFunction, tag } from './interface.ts';
import { cutToBytes, put, putVisible, startLine } from './line.ts';
import { putMessage } from './message.ts';

const MAX_INDENT = 16;

/** Makes `console`, each of whose calls adds at most one line to the hook's log. */
export function createConsole(log: (line: string) => void): object {
  const counts = new MapCtor<string, number>();
  const startsMs = new MapCtor<string, number>();
  let indent = 0;

  const write = (prefix: string, values: readonly unknown[]): void => {
    try {
      const line = startLine(LIMITS.logLineBytes);
      put(line, stringRepeat('  ', indent));
      putVisible(line, prefix);
      if (prefix !== '' && values.length > 0) put(line, ' ');
      putMessage(line, values);
      log(cutToBytes(line.text, LIMITS.logLineBytes));
    } catch {
      // A line that cannot be written must not change what a guard decides.
    }
  };
  const writer =
    (prefix: string) =>
    (...values: readonly unknown[]): void =>
      write(prefix, values);
  const openGroup = (...values: readonly unknown[]): void => {
    if (values.length > 0) write('', values);
    if (indent < MAX_INDENT) indent += 1;
  };
  const lap = (label: unknown, values: readonly unknown[]): void => {
    const name = labelOf(label);
    const startMs = mapGet(startsMs, name);
    if (startMs !== undefined) write(`${name}: ${now() - startMs}ms`, values);
  };

  // Its prototype is an object of its own, as the console standard has it for old code.
  const console = create(create(ObjectPrototype)) as object;
  const define = (name: string, method: Callable): void => {
    const value = nameFunction(method, name);
    defineProperty(
      console,
      name,
      bare({ __proto__: null, value, writable: true, configurable: true, enumerable: true }),
    );
  };
  define('assert', (isTrue?: unknown, ...values: readonly unknown[]): void => {
    if (!isTrue) write(values.length > 0 ? 'Assertion failed:' : 'Assertion failed', values);
  });
  define('clear', (): void => {
    indent = 0;
  });
  define('count', (label?: unknown): void => {
    const name = labelOf(label);
    const count = (mapGet(counts, name) ?? 0) + 1;
    mapSet(counts, name, count);
    write(`${name}: ${count}`, []);
  });
  define('countReset', (label?: unknown) => void mapDelete(counts, labelOf(label)));
  define('debug', writer('debug:'));
  // The second argument has options for a terminal.
  define('dir', (value?: unknown) => write('', [value]));
  define('dirxml', writer(''));
  define('error', writer('error:'));
  define('group', openGroup);
  define('groupCollapsed', (...values: readonly unknown[]) => apply(openGroup, undefined, values));
  define('groupEnd', (): void => {
    if (indent > 0) indent -= 1;
  });
  define('info', writer(''));
  define('log', writer(''));
  define('table', (data?: unknown) => write('', [data]));
  define('time', (label?: unknown): void => {
    const name = labelOf(label);
    if (!mapHas(startsMs, name)) mapSet(startsMs, name, now());
  });
  define('timeEnd', (label?: unknown): void => {
    lap(label, []);
    mapDelete(startsMs, labelOf(label));
  });
  define('timeLog', (label?: unknown, ...values: readonly unknown[]) => lap(label, values));
  define('trace', writer('trace:'));
  define('warn', writer('warn:'));
  tag(console, 'console');
  return console;
}

function labelOf(label: unknown): string {
  if (label === undefined) return 'default';
  const line = startLine(64);
  if (typeof label === 'string') put(line, label);
  else putValue(line, label);
  return line.text;
}
