import type { Plugin } from 'esbuild';
import { ADDED_GLOBALS, CONSOLE_METHODS, WEB_MODULE } from '../../../sdk/globals.ts';

/** The file that esbuild injects: a name of it is kept only where a bundle uses it. */
export const WEB_NAMES = 'signalbox:web-names';

const NAMES = ADDED_GLOBALS.filter((name) => name !== 'console');
const methodName = (method: string): string => `console_${method}`;

const SOURCE = [
  `import { web } from ${JSON.stringify(WEB_MODULE)};`,
  ...NAMES.map((name) => `export const ${name} = /* @__PURE__ */ web(${JSON.stringify(name)});`),
  ...CONSOLE_METHODS.map(
    (method) =>
      `export const ${methodName(method)} = /* @__PURE__ */ web(${JSON.stringify(`console.${method}`)});`,
  ),
].join('\n');

/** Turns the ways to write a global name into the name that is injected. */
export const WEB_DEFINES: Readonly<Record<string, string>> = Object.fromEntries([
  ...NAMES.map((name) => [`globalThis.${name}`, name]),
  ...CONSOLE_METHODS.flatMap((method) => [
    [`console.${method}`, methodName(method)],
    [`globalThis.console.${method}`, methodName(method)],
  ]),
]);

/** Provides {@link WEB_NAMES}. What it imports is left to the sandbox; no file of a package can import that. */
export function webNamesPlugin(): Plugin {
  return {
    name: 'web-names',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^signalbox:/ }, ({ path, kind, namespace }) => {
        if (path === WEB_NAMES && kind === 'entry-point')
          return { path, namespace: WEB_NAMES, sideEffects: false };
        const isOurs = path === WEB_MODULE && namespace === WEB_NAMES;
        return isOurs ? { path, external: true, sideEffects: false } : undefined;
      });
      onLoad({ filter: /.*/, namespace: WEB_NAMES }, () => ({ contents: SOURCE, loader: 'js' }));
    },
  };
}
