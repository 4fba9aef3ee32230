import type { Schema } from '../../sdk/json-schema.ts';
import { POINTS, type Point } from '../../sdk/points.ts';

/** What strings and open values of a sample are. */
export interface Filling {
  readonly text: string;
  /** What stands where the schema says nothing of the value. */
  readonly open: unknown;
  /** Whether fields that may be absent are there. */
  readonly isFull: boolean;
}

/** An event that no system has. */
const SAMPLE_EVENT = 'sample:event';

/** A payload that fits a point. */
export function samplePayload(point: Point, filling: Filling): Record<string, unknown> {
  // A payload's schema is that of an object.
  return sample(POINTS[point].payload, filling) as Record<string, unknown>;
}

function sample(schema: Schema, filling: Filling): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf?.[0] !== undefined) return sample(schema.anyOf[0], filling);
  switch (schema.type) {
    case 'string':
      // The one pattern of the points is that of the name of an event.
      if (schema.pattern !== undefined) return SAMPLE_EVENT;
      return filling.text.length < (schema.minLength ?? 0)
        ? 'x'.repeat(schema.minLength ?? 0)
        : filling.text.slice(0, schema.maxLength);
    case 'number':
    case 'integer':
      return schema.minimum ?? 0;
    case 'boolean':
      return false;
    case 'null':
      return null;
    case 'array':
      return filling.isFull ? [schema.items ? sample(schema.items, filling) : filling.open] : [];
    case 'object':
      return schema.properties === undefined
        ? { value: filling.open }
        : sampleObject(schema, filling);
    case undefined:
      return filling.open;
  }
}

function sampleObject(schema: Schema, filling: Filling): object {
  const fields = Object.entries(schema.properties ?? {});
  const there = filling.isFull
    ? fields
    : fields.filter(([name]) => schema.required?.includes(name) === true);
  return Object.fromEntries(there.map(([name, field]) => [name, sample(field, filling)]));
}
