import { SignalboxError } from '../../sdk/errors.ts';
import { nameOf } from '../acts/acts.ts';
import { nearest } from '../config/nearest.ts';
import { printable } from '../config/printable.ts';
import type { HookEntry } from '../packages/catalog.ts';
import { originOf, type Mode, type ModeChange } from './mode-change.ts';

/** Who changes a mode and why. */
export interface ModeOrder {
  readonly who: string;
  readonly reason?: string | undefined;
  /** Needed, with a reason, where a hook that holds calls back is to stop doing so. */
  readonly force?: boolean | undefined;
}

/** A request for a mode, and the catalogs that it is held against. */
export interface ModeRequest extends ModeOrder {
  readonly hook: string;
  readonly mode: Mode;
  /** The hooks as runtime.json has them, and with the modes that hold now. */
  readonly configured: readonly HookEntry[];
  readonly standing: readonly HookEntry[];
}

/** Longer reasons are cut: they are for people. */
const REASON_CHARS = 500;

/**
 * The change that a request comes to; `undefined` when the hook has the mode already. Throws `hook_unknown`,
 * `request_invalid`, and `mode_refused` when a guard would be taken down without force and a reason.
 */
export function changeOf(request: ModeRequest): ModeChange | undefined {
  const { hook, mode, who, reason = '', force = false, configured, standing } = request;
  const entry = standing.find(({ name }) => name === hook);
  if (entry === undefined) {
    const names = standing.map(({ name }) => name);
    const data = { hook: printable(hook, 80), nearest: nearest(hook, names) ?? '' };
    throw new SignalboxError('hook_unknown', data);
  }
  const by = nameOf(who);
  if (entry.mode === mode) return undefined;
  const why = printable(reason.trim(), REASON_CHARS);
  if (mode === 'shadow' && !(force && why !== '')) {
    throw new SignalboxError('mode_refused', { hook });
  }
  const base = configured.find(({ name }) => name === hook)?.mode ?? 'enforce';
  const change = { hook, mode, base, origin: originOf(entry), by, time: Date.now() };
  return why === '' ? change : { ...change, reason: why };
}
