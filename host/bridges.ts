import { covers, parseCapability, type CapabilityName } from '../sdk/capabilities.ts';
import { LIMITS } from '../sdk/limits.ts';
import { AGENT_BRIDGES } from './bridges/agent.ts';
import { EMIT_BRIDGES } from './bridges/emit.ts';
import { FETCH_BRIDGES } from './bridges/fetch.ts';
import { LLM_BRIDGES } from './bridges/llm.ts';
import { BridgeError } from './bridges/refusal.ts';
import type { BridgeOrigin, BridgeRow, BridgeRun, Credit, Ports } from './bridges/row.ts';
import { SECRET_BRIDGES } from './bridges/secret.ts';
import { STORE_BRIDGES } from './bridges/store.ts';
import type { BridgeAnswer, BridgeCode, BridgeHandler } from './sandbox.ts';

export { BridgeError } from './bridges/refusal.ts';
export type { BridgeOrigin, Ports } from './bridges/row.ts';
export type { EmitPort } from './bridges/emit.ts';
export type { FetchPort, FetchRequest, FetchResponse } from './bridges/fetch.ts';
export type { LlmPort } from './bridges/llm.ts';
export type { SecretPort } from './bridges/secret.ts';
export type { StorePort } from './bridges/store.ts';

/** Every operation that a hook can call on `ctx`, besides `log`. */
export const BRIDGES: Readonly<Record<string, BridgeRow>> = {
  ...STORE_BRIDGES,
  ...FETCH_BRIDGES,
  ...SECRET_BRIDGES,
  ...LLM_BRIDGES,
  ...EMIT_BRIDGES,
  ...AGENT_BRIDGES,
};

/** How a run's effects are treated: carried out, left out without a word inside this runtime (`test`), or refused (`shadow`). */
export type BridgeMode = 'live' | 'test' | 'shadow';

/** What a bridge is made from. */
export interface BridgeOptions {
  /** Capabilities that hold now. */
  readonly granted: readonly string[];
  /** Capabilities that the manifest declares; they word the refusal. */
  readonly declared: readonly string[];
  readonly ports: Ports;
  readonly mode: BridgeMode;
  readonly origin: BridgeOrigin;
}

/** A capability that a run used, and how often. */
export interface Use {
  readonly capability: CapabilityName;
  readonly scope: string;
  readonly count: number;
}

/** The bridge of one run: it holds the run's credit and counts what was used. */
export interface Bridge {
  /** Never rejects. */
  readonly handle: BridgeHandler;
  /** The calls that were granted, whether or not they were carried out. */
  used(): readonly Use[];
  /** The run is over: what is still on its way is called off. */
  end(): void;
}

/** Operations that capabilities give for some scope. */
export function opsOf(granted: readonly string[]): string[] {
  return Object.keys(BRIDGES).filter((op) => {
    const row = BRIDGES[op];
    return row !== undefined && gives(granted, row.capability);
  });
}

/** Makes the bridge of one run. The caller makes a new one for every run, and ends it. */
export function createBridge(options: BridgeOptions): Bridge {
  const { granted, origin } = options;
  const uses: Uses = new Map();
  const credit = new Map<Credit, number>();
  const over = new AbortController();
  const handle: BridgeHandler = async (op, args) => {
    const row = Object.hasOwn(BRIDGES, op) ? BRIDGES[op] : undefined;
    if (row === undefined) return refuse('invalid', 'No such operation');
    // Refused calls cost too: a run that only asks for what it may not have must come to an end.
    const left = credit.get(row.credit) ?? LIMITS[row.credit];
    if (left <= 0) return refuse('credit', `More than ${LIMITS[row.credit]} calls in one run`);
    credit.set(row.credit, left - 1);
    if (!gives(granted, row.capability)) return refuseCapability(options, row.capability);
    const problem = row.problem(args);
    if (problem !== undefined) return refuse('invalid', `${op}: ${problem}`);
    const scope = row.scope(args);
    if (!covers(granted, row.capability, scope)) {
      return refuseCapability(options, row.capability, scope);
    }
    count(uses, row.capability, scope);
    const mayUse = (other: string): boolean => {
      if (!covers(granted, row.capability, other)) return false;
      if (other !== scope) count(uses, row.capability, other);
      return true;
    };
    return carryOut({ row, args, run: { origin, signal: over.signal, mayUse } }, options);
  };
  return { handle, used: () => [...uses.values()], end: () => over.abort() };
}

/** Whether the capability is granted for any scope. */
function gives(granted: readonly string[], name: CapabilityName): boolean {
  return granted.some((text) => parseCapability(text)?.name === name);
}

function refuseCapability(
  { declared }: BridgeOptions,
  name: CapabilityName,
  scope?: string,
): BridgeAnswer {
  const isDeclared = scope === undefined ? gives(declared, name) : covers(declared, name, scope);
  // The scope is the hook's own text and may hold what it read: it is named only where the manifest names it.
  const isNamed = scope !== undefined && declared.includes(`${name}:${scope}`);
  const what = isNamed ? `${name}:${scope}` : name;
  if (isDeclared) return refuse('capability', `"${what}" is not granted`);
  return refuse(
    'capability',
    scope === undefined ? `"${name}" is not declared` : `"${name}" is not declared for this scope`,
  );
}

type Uses = Map<string, { capability: CapabilityName; scope: string; count: number }>;

function count(uses: Uses, capability: CapabilityName, scope = ''): void {
  const key = `${capability}:${scope}`;
  const use = uses.get(key);
  if (use === undefined) uses.set(key, { capability, scope, count: 1 });
  else use.count += 1;
}

interface GrantedCall {
  readonly row: BridgeRow;
  readonly args: readonly unknown[];
  readonly run: BridgeRun;
}

async function carryOut(
  { row, args, run }: GrantedCall,
  { mode, ports }: BridgeOptions,
): Promise<BridgeAnswer> {
  if (row.effect !== 'none' && mode === 'shadow')
    return refuse('shadow', 'Nothing is changed or sent in shadow mode');
  if (row.effect === 'inside' && mode === 'test') return { ok: true, value: null };
  try {
    const answer = row.perform(ports, args, run);
    if (answer === undefined) return UNAVAILABLE;
    return { ok: true, value: (await answer) ?? null };
  } catch (error) {
    if (error instanceof BridgeError) return refuse(error.code, error.message);
    // Other errors may name files or hosts of this machine, which is no business of the hook.
    return isTooLarge(error)
      ? refuse('invalid', 'The result is too large; narrow the filter')
      : UNAVAILABLE;
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'result_too_large';
}

const UNAVAILABLE = refuse('unavailable', 'The operation is not available now');

function refuse(code: BridgeCode, message: string): BridgeAnswer {
  return { ok: false, code, message };
}
