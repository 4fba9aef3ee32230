import type { Plugin } from 'esbuild';
import { SPEC_MODULE, SPEC_SOURCE } from '../../../sdk/contracts/standard-agents-shim.ts';

const NAMESPACE = 'signalbox:standard-agents';

/** Provides the module of Standard Agents to hooks of that contract. */
export function specModulePlugin(): Plugin {
  return {
    name: 'standard-agents-spec',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: new RegExp(`^${SPEC_MODULE}$`) }, ({ path }) => ({
        path,
        namespace: NAMESPACE,
        sideEffects: false,
      }));
      onLoad({ filter: /.*/, namespace: NAMESPACE }, () => ({
        contents: SPEC_SOURCE,
        loader: 'js',
      }));
    },
  };
}
