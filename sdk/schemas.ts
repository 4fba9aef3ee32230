/** @signalbox/sdk/schemas: the JSON Schemas of the files that people write, apart so that no hook carries them. */
import { INPUT_PORTS, OUTPUT_PORTS } from './contracts/agent-os-ports.ts';
import type { ObjectSchema } from './json-schema.ts';
import { MANIFEST_SCHEMA as READ_MANIFEST } from './manifest.ts';

export { RUNTIME_SCHEMA } from './runtime-schema.ts';

const { ports: _ports, inputs, outputs: _outputs, ...rest } = READ_MANIFEST.properties;

/** The JSON Schema of hook.json as people write it; agent-os gives its inputs names of their own. */
export const MANIFEST_SCHEMA = {
  ...READ_MANIFEST,
  properties: {
    ...rest,
    inputs: {
      anyOf: [inputs, INPUT_PORTS],
      description: 'Keys of the bag that it reads; in the contract `agent-os` by names of its own',
    },
    outputs: { ...OUTPUT_PORTS, description: 'Keys of the bag that it may write' },
  },
} as const satisfies ObjectSchema;
