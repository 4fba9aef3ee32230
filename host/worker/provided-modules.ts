import { registerHooks } from 'node:module';
import { SPEC_MODULE, SPEC_SOURCE } from '../../sdk/contracts/standard-agents-shim.ts';
import { WEB_MODULE } from '../../sdk/globals.ts';

/** What bundles for isolates bind the web's names from; a thread has them all. */
const WEB_SOURCE = `export const web = (name) => {
  const [first, method] = name.split('.');
  return method === undefined ? globalThis[first] : console[method].bind(console);
};`;

const MODULES = new Map([
  [SPEC_MODULE, urlOf(SPEC_SOURCE)],
  [WEB_MODULE, urlOf(WEB_SOURCE)],
]);

/** Makes imports of modules that a sandbox provides find them in this thread: no hook has to install them. */
export function provideModules(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const url = MODULES.get(specifier);
      return url === undefined
        ? next(specifier, context)
        : { url, format: 'module', shortCircuit: true };
    },
  });
}

function urlOf(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source)}`;
}
