import { registerHooks } from 'node:module';
import { SPEC_MODULE, SPEC_SOURCE } from '../../sdk/contracts/standard-agents-shim.ts';

const URL_OF_SPEC = `data:text/javascript,${encodeURIComponent(SPEC_SOURCE)}`;

/** Makes imports of the Standard Agents module find ours in this thread, so that hooks run without an install. */
export function provideSpecModule(): void {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === SPEC_MODULE
        ? { url: URL_OF_SPEC, format: 'module', shortCircuit: true }
        : next(specifier, context),
  });
}
