import { SignalboxError } from '../../../sdk/errors.ts';
import { nearest } from '../../config/nearest.ts';
import type { RuntimeConfig } from '../../config/runtime-config.ts';
import { buildCatalog } from '../../packages/build-catalog.ts';
import type { AbsentHook, Catalog, HookEntry, Origin } from '../../packages/catalog.ts';
import { decidingSelector } from '../../packages/selectors.ts';
import { EXIT } from '../exit-code.ts';
import { lockedOf, openPackages, type PackageSession } from './package-session.ts';
import type { Session } from '../session.ts';

/** What decided on one hook, most decisive first. */
interface Explanation {
  readonly hook: string;
  readonly package: string;
  readonly isOn: boolean;
  readonly because: readonly string[];
}

/** Says why a hook is on or off: which entry, selector, conflict or rule decided. */
export async function runWhy(session: Session, hook: string): Promise<number> {
  const packages = await openPackages(session);
  // A hook that is required and off is what is asked about here; it must not stop the answer.
  const config = { ...packages.config, hooks: { ...packages.config.hooks, required: [] } };
  const catalog = await buildCatalog(config);
  const explanations = [
    ...catalog.hooks
      .filter(({ name }) => name === hook)
      .map((entry) => explainLive(entry, packages)),
    ...catalog.absent
      .filter(({ name, origin }) => name === hook || (name === '*' && origin.name === hook))
      .map((absent) => explainAbsent(absent, packages)),
  ];
  if (explanations.length === 0) throw unknown(hook, catalog);
  const { terminal } = session;
  if (terminal.isJson) terminal.json(explanations);
  else {
    for (const { hook: name, package: owner, isOn, because } of explanations) {
      terminal.line(`${name} of ${owner} is ${isOn ? 'on' : 'off'}`);
      for (const reason of because) terminal.line(`  ${reason}`);
    }
  }
  return explanations.some(({ isOn }) => isOn) ? EXIT.ok : EXIT.problems;
}

function explainLive(entry: HookEntry, packages: PackageSession): Explanation {
  const { name, origin, failure, mode } = entry;
  const because = [
    ...sourceOf(name, { origin, packages, own: entry.manifest.name }),
    ...(packages.config.hooks.required.includes(name) ? ['hooks.required names it'] : []),
    ...(mode === 'shadow' ? ['hooks.mode says "shadow": what it decides is only recorded'] : []),
    ...(failure === undefined
      ? []
      : [`every call of it fails with ${failure.code}: ${failure.detail}`]),
  ];
  return { hook: name, package: ownerOf(origin), isOn: true, because };
}

function explainAbsent(
  { name, origin, reason, error }: AbsentHook,
  packages: PackageSession,
): Explanation {
  const source = sourceOf(name, { origin, packages, own: name });
  const decisive = error === undefined ? ruleOf(reason, { name, origin, packages }) : error.message;
  const hint = error === undefined ? [] : [error.hint];
  return {
    hook: name,
    package: ownerOf(origin),
    isOn: false,
    because: [decisive, ...hint, ...source],
  };
}

interface Asked {
  readonly name: string;
  readonly origin: Origin;
  readonly packages: PackageSession;
}

function ruleOf(reason: AbsentHook['reason'], { name, origin, packages }: Asked): string {
  const { hooks } = packages.config;
  if (reason === 'disabled') {
    return hooks.disabled.includes(name)
      ? 'hooks.disabled of runtime.json names it'
      : 'its hook.json says "enabled": false';
  }
  if (reason !== 'not_selected') return reason.replace('_', ' ');
  for (const { entry, index } of entriesOf(origin, packages)) {
    const selector = decidingSelector(entry, { own: name, name });
    if (selector !== undefined) return `packages[${index}].use has "${selector}"`;
  }
  return 'packages[].use takes other hooks of its package alone';
}

/** Where a hook comes from: the entry, what took it, its name, and who agreed. */
function sourceOf(
  name: string,
  { origin, packages, own }: Omit<Asked, 'name'> & { readonly own: string },
): readonly string[] {
  if (origin.kind === 'local') return ['it lies in hooks/ beside runtime.json'];
  return entriesOf(origin, packages).flatMap(({ entry, index }) => {
    const selector = decidingSelector(entry, { own, name });
    const locked = lockedOf(entry, packages);
    const range = entry.version === undefined ? '' : ` in version ${entry.version}`;
    return [
      `packages[${index}] of runtime.json names "${entry.package}"${range}`,
      ...(entry.use === undefined ? ['its entry has no "use": every hook is taken'] : []),
      ...(selector === undefined ? [] : [`the last selector that fits it is "${selector}"`]),
      ...(own === name ? [] : [`"as" renames it from "${own}"`]),
      ...(locked === undefined
        ? []
        : [
            `${locked.consent.by} agreed on ${locked.consent.at} to ${list(locked.consent.capabilities)}`,
          ]),
      ...(entry.grants === undefined ? ['nothing is granted'] : [`granted: ${list(entry.grants)}`]),
    ];
  });
}

function list(texts: readonly string[]): string {
  return texts.length === 0 ? 'nothing' : texts.join(', ');
}

interface Numbered {
  readonly entry: RuntimeConfig['packages'][number];
  readonly index: number;
}

/** The entries that a package may have come from; several where runtime.json names it twice. */
function entriesOf(origin: Origin, packages: PackageSession): readonly Numbered[] {
  const all = packages.config.packages.map((entry, index) => ({ entry, index }));
  const named = all.filter(
    ({ entry }) => (lockedOf(entry, packages)?.name ?? entry.package) === origin.name,
  );
  // A folder's own name is not in runtime.json; with one folder alone it is clear which.
  const folders = all.filter(({ entry }) => lockedOf(entry, packages) === undefined);
  return named.length > 0 ? named : folders.length === 1 ? folders : [];
}

function ownerOf({ kind, name, version }: Origin): string {
  if (kind === 'local') return 'the local hooks';
  return version === '' ? name : `${name}@${version}`;
}

function unknown(hook: string, { hooks, absent }: Catalog): SignalboxError {
  const names = [...hooks, ...absent].map(({ name }) => name);
  return new SignalboxError('hook_unknown', { hook, nearest: nearest(hook, names) ?? '' });
}
