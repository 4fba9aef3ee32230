/** One row per capability: what it gives, in the words that consent and audit show. */
export interface CapabilityRow {
  /** Plain words for the person who grants it. */
  readonly gives: string;
  /** `none`: the bare name only; `optional` and `required`: a scope after a colon. */
  readonly scope: 'none' | 'optional' | 'required';
  /** How the scope is called in messages. */
  readonly scopeName?: string;
  /** Whether scopes that differ in case alone are one: names of hosts have no case (RFC 4343). */
  readonly isCaseless?: true;
}

/** Every capability a manifest may declare. */
export const CAPABILITIES = {
  reads_input: { gives: 'read what the user writes', scope: 'none' },
  gates_input: { gives: 'stop or change what the user writes', scope: 'none' },
  reads_tool_io: { gives: 'read the arguments and results of tools', scope: 'none' },
  gates_tools: { gives: 'stop or change tool calls and their results', scope: 'none' },
  reads_output: { gives: 'read what the agent answers', scope: 'none' },
  gates_output: { gives: 'stop or change what the agent answers', scope: 'none' },
  reads_context: { gives: 'read prompts, messages, errors and events', scope: 'none' },
  gates_context: { gives: 'stop or change prompts, messages and model requests', scope: 'none' },
  injects_context: { gives: 'add text that the model reads', scope: 'none' },
  'store:read': { gives: 'read rows of the store', scope: 'optional', scopeName: 'collection' },
  'store:write': { gives: 'write rows of the store', scope: 'optional', scopeName: 'collection' },
  'net:fetch': {
    gives: 'send requests to a host',
    scope: 'required',
    scopeName: 'host',
    isCaseless: true,
  },
  secrets: { gives: 'read a secret', scope: 'required', scopeName: 'name' },
  'llm:call': { gives: "ask the host's model", scope: 'none' },
  'emits:events': { gives: 'emit custom events', scope: 'none' },
} as const satisfies Record<string, CapabilityRow>;

/** The name of a capability without its scope. */
export type CapabilityName = keyof typeof CAPABILITIES;

type Rows = typeof CAPABILITIES;

/** A capability as a manifest may write it: a name, or a name with a scope such as `store:read:profile`. */
export type CapabilityText = {
  [N in CapabilityName]:
    | (Rows[N]['scope'] extends 'required' ? never : N)
    | (Rows[N]['scope'] extends 'none' ? never : `${N}:${string}`);
}[CapabilityName];

/** A capability as declared: a name, or a name with a scope such as `store:read:profile`. */
export interface Capability {
  readonly name: CapabilityName;
  readonly scope?: string;
}

const NAMES = Object.keys(CAPABILITIES) as CapabilityName[];

/** Reads a declared capability; `undefined` when no row allows it. */
export function parseCapability(text: string): Capability | undefined {
  for (const name of NAMES) {
    const row: CapabilityRow = CAPABILITIES[name];
    if (text === name) return row.scope === 'required' ? undefined : { name };
    if (row.scope !== 'none' && text.startsWith(`${name}:`)) {
      const scope = text.slice(name.length + 1);
      return isScope(scope) ? { name, scope } : undefined;
    }
  }
  return undefined;
}

/** Whether a scope is a plain name: no wildcard, no white space, at most 253 characters. */
function isScope(scope: string): boolean {
  return scope.length <= 253 && /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(scope);
}

/** The one way to write a capability: scopes that have no case in lower case. A text that is none stays as it is. */
export function plainCapability(text: string): string {
  const capability = parseCapability(text);
  if (capability?.scope === undefined) return text;
  const { isCaseless }: CapabilityRow = CAPABILITIES[capability.name];
  return isCaseless === true ? `${capability.name}:${capability.scope.toLowerCase()}` : text;
}

/** Whether the held capabilities give `name` for `scope`; a capability without a scope covers every scope. */
export function covers(held: readonly string[], name: CapabilityName, scope?: string): boolean {
  for (const text of held) {
    if (text === name) return true;
    if (scope !== undefined && isOfScope(text, name, scope)) return true;
  }
  return false;
}

function isOfScope(text: string, name: CapabilityName, scope: string): boolean {
  if (text === `${name}:${scope}`) return true;
  const { isCaseless }: CapabilityRow = CAPABILITIES[name];
  if (isCaseless !== true || !text.startsWith(`${name}:`)) return false;
  return text.slice(name.length + 1).toLowerCase() === scope.toLowerCase();
}

/** Whether holding one capability gives another: the same, or the same name without a scope. */
export function entails(held: string, wanted: string): boolean {
  const capability = parseCapability(wanted);
  return capability !== undefined && covers([held], capability.name, capability.scope);
}

/** What is declared and not covered by what is granted, as declared. */
export function shortfall(declared: readonly string[], granted: readonly string[]): string[] {
  return declared.filter((text) => {
    const capability = parseCapability(text);
    return capability === undefined || !covers(granted, capability.name, capability.scope);
  });
}
