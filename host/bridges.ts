import { covers, parseCapability, type CapabilityName } from '../sdk/capabilities.ts';
import { LIMITS } from '../sdk/limits.ts';
import type { BridgeRow, Ports } from './bridges/row.ts';
import { STORE_BRIDGES } from './bridges/store.ts';
import type { BridgeAnswer, BridgeCode, BridgeHandler } from './sandbox.ts';

export type { Ports } from './bridges/row.ts';
export type { StorePort } from './bridges/store.ts';

/** Every operation that a hook can call on `ctx`, besides `log`. */
export const BRIDGES: Readonly<Record<string, BridgeRow>> = { ...STORE_BRIDGES };

/** How a run's effects are treated: carried out, left out without a word (`test`), or refused (`shadow`). */
export type BridgeMode = 'live' | 'test' | 'shadow';

/** What a bridge is made from. */
export interface BridgeOptions {
  /** Capabilities that hold now. */
  readonly granted: readonly string[];
  /** Capabilities that the manifest declares; they word the refusal. */
  readonly declared: readonly string[];
  readonly ports: Ports;
  readonly mode: BridgeMode;
}

/** A capability that a run used, and how often. */
export interface Use {
  readonly capability: CapabilityName;
  readonly scope: string;
  readonly count: number;
}

/** The bridge of one run: it holds the run's credit and counts what was used. */
export interface Bridge {
  /** Operations that the granted capabilities give for some scope. */
  readonly ops: readonly string[];
  /** Never rejects. */
  readonly handle: BridgeHandler;
  /** The calls that were granted, whether or not they were carried out. */
  used(): readonly Use[];
}

/** Makes the bridge of one run. The caller makes a new one for every run. */
export function createBridge(options: BridgeOptions): Bridge {
  const uses = new Map<string, { capability: CapabilityName; scope: string; count: number }>();
  const credit = { storeCalls: LIMITS.storeCalls as number };
  const handle: BridgeHandler = async (op, args) => {
    const row = Object.hasOwn(BRIDGES, op) ? BRIDGES[op] : undefined;
    if (row === undefined) return refuse('invalid', 'No such operation');
    // Refused calls cost too: a run that only asks for what it may not have must come to an end.
    if (credit[row.credit] <= 0)
      return refuse('credit', `More than ${LIMITS[row.credit]} calls in one run`);
    credit[row.credit] -= 1;
    if (!gives(options.granted, row.capability)) return refuseCapability(options, row.capability);
    const problem = row.problem(args);
    if (problem !== undefined) return refuse('invalid', `${op}: ${problem}`);
    const scope = row.scope(args);
    if (!covers(options.granted, row.capability, scope)) {
      return refuseCapability(options, row.capability, scope);
    }
    count(uses, row.capability, scope);
    return carryOut(row, args, options);
  };
  return { ops: opsOf(options.granted), handle, used: () => [...uses.values()] };
}

function opsOf(granted: readonly string[]): string[] {
  return Object.keys(BRIDGES).filter((op) => {
    const row = BRIDGES[op];
    return row !== undefined && gives(granted, row.capability);
  });
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

function count(
  uses: Map<string, { capability: CapabilityName; scope: string; count: number }>,
  capability: CapabilityName,
  scope: string,
): void {
  const key = `${capability}:${scope}`;
  const use = uses.get(key);
  if (use === undefined) uses.set(key, { capability, scope, count: 1 });
  else use.count += 1;
}

async function carryOut(
  row: BridgeRow,
  args: readonly unknown[],
  { mode, ports }: BridgeOptions,
): Promise<BridgeAnswer> {
  if (row.hasEffect && mode === 'shadow')
    return refuse('shadow', 'Nothing is changed in shadow mode');
  if (row.hasEffect && mode === 'test') return { ok: true, value: null };
  try {
    const answer = row.perform(ports, args);
    if (answer === undefined) return UNAVAILABLE;
    return { ok: true, value: (await answer) ?? null };
  } catch (error) {
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
