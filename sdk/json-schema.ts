/** The part of JSON Schema (draft 2020-12) that the tables of this package are written in. */
export interface Schema {
  readonly $id?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null';
  readonly const?: string | number | boolean | null;
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly default?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly propertyNames?: Schema;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly pattern?: string;
}

/** A schema of an object, as every payload has one. */
export type ObjectSchema = Schema & {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, Schema>>;
};

type Flat<T> = { [K in keyof T]: T[K] };
type RequiredKey<S> = S extends { readonly required: readonly (infer K)[] } ? K : never;

type FromProperties<P, R> = Flat<
  { -readonly [K in keyof P as K extends R ? K : never]: FromSchema<P[K]> } & {
    -readonly [K in keyof P as K extends R ? never : K]?: FromSchema<P[K]>;
  }
>;

/** The TypeScript type of the values that a schema written `as const` accepts. */
export type FromSchema<S> = S extends { readonly const: infer C }
  ? C
  : S extends { readonly enum: readonly (infer E)[] }
    ? E
    : S extends { readonly anyOf: readonly (infer A)[] }
      ? FromSchema<A>
      : S extends { readonly type: 'string' }
        ? string
        : S extends { readonly type: 'number' | 'integer' }
          ? number
          : S extends { readonly type: 'boolean' }
            ? boolean
            : S extends { readonly type: 'null' }
              ? null
              : S extends { readonly type: 'array'; readonly items: infer I }
                ? FromSchema<I>[]
                : S extends { readonly type: 'array' }
                  ? unknown[]
                  : S extends { readonly type: 'object'; readonly properties: infer P }
                    ? FromProperties<P, RequiredKey<S>>
                    : S extends { readonly type: 'object' }
                      ? Record<string, unknown>
                      : unknown;
