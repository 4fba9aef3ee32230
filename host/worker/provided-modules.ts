import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
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

/** Of a checkout's sdk, the one file that was bundled from its sources beside this one. */
const SDK = {
  source: pathToFileURL(OWN_SDK).href,
  bundled: pathToFileURL(join(import.meta.dirname, `sdk-${BUILD_HASH}.mjs`)).href,
};

/** Makes imports of modules that a sandbox provides find them in this thread: no hook has to install them. */
export function provideModules(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const url = MODULES.get(specifier);
      if (url !== undefined) return { url, format: 'module', shortCircuit: true };
      const resolved = next(specifier, context);
      if (resolved.url !== SDK.source) return resolved;
      return { ...resolved, url: SDK.bundled, format: 'module' };
    },
  });
}

function urlOf(source: string): string {
  return `data:text/javascript,${encodeURIComponent(source)}`;
}
