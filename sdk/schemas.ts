/** @signalbox/sdk/schemas: the JSON Schemas of the files that people write, apart so that no hook carries them. */
export { MANIFEST_SCHEMA } from './manifest.ts';
export { RUNTIME_SCHEMA } from './runtime-schema.ts';
