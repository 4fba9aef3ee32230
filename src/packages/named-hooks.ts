import { SignalboxError } from '../../sdk/errors.ts';
import { nearest } from '../config/nearest.ts';
import type { HookSettings } from '../config/runtime-config.ts';
import type { Catalog } from './catalog.ts';

type Hooks = Pick<Catalog, 'hooks' | 'absent'>;

/** A `hook_unmatched` warning for every name in the `hooks` part that no hook has: a setting that does nothing. */
export function checkNames(settings: HookSettings, found: Hooks): readonly SignalboxError[] {
  const names = namesOf(found);
  const used: readonly (readonly [key: string, hook: string])[] = [
    ...settings.order.map((hook, index) => [`hooks.order[${index}]`, hook] as const),
    ...settings.disabled.map((hook, index) => [`hooks.disabled[${index}]`, hook] as const),
    ...keysOf('hooks.config', settings.config),
    ...keysOf('hooks.mode', settings.mode),
    ...keysOf('hooks.failPolicy', settings.failPolicy),
    ...keysOf('hooks.overrides', settings.overrides),
  ];
  return used
    .filter(([, hook]) => !names.includes(hook))
    .map(([key, hook]) => {
      const data = { key, hook, nearest: nearest(hook, names) ?? '' };
      return new SignalboxError('hook_unmatched', data);
    });
}

/** Throws `hook_required` for the first required hook that is not there or would fail every call. */
export function requireHooks(required: readonly string[], { hooks, absent }: Hooks): void {
  for (const hook of required) {
    const entry = hooks.find(({ name }) => name === hook);
    if (entry !== undefined && entry.failure === undefined) continue;
    const detail = entry?.failure?.detail ?? absenceOf(hook, { hooks, absent });
    throw new SignalboxError('hook_required', { hook, detail });
  }
}

function absenceOf(hook: string, found: Hooks): string {
  const absent = found.absent.find(({ name }) => name === hook);
  if (absent === undefined) {
    const near = nearest(hook, namesOf(found));
    return `no hook has that name${near === undefined ? '' : `; did you mean "${near}"?`}`;
  }
  return absent.error?.message ?? absent.reason.replace('_', ' ');
}

function keysOf(key: string, map: object): readonly (readonly [string, string])[] {
  return Object.keys(map).map((hook) => [`${key}.${hook}`, hook] as const);
}

function namesOf({ hooks, absent }: Hooks): readonly string[] {
  return [...hooks, ...absent].map(({ name }) => name).filter((name) => name !== '*');
}
