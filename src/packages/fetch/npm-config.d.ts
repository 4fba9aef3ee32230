/** The part of npm's own configuration reader that is used here; it ships no types. */
declare module '@npmcli/config' {
  export default class Config {
    constructor(options: {
      readonly npmPath: string;
      readonly definitions: unknown;
      readonly shorthands: unknown;
      readonly flatten: unknown;
      readonly nerfDarts: unknown;
      readonly argv: readonly string[];
      readonly env: Record<string, string | undefined>;
      readonly cwd: string;
    });
    load(): Promise<void>;
    readonly flat: Readonly<Record<string, unknown>>;
  }
}

declare module '@npmcli/config/lib/definitions/index.js' {
  const definitions: {
    readonly definitions: unknown;
    readonly shorthands: unknown;
    readonly flatten: unknown;
    readonly nerfDarts: unknown;
  };
  export default definitions;
}
