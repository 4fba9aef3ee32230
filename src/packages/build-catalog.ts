import { SignalboxError } from '../../sdk/errors.ts';
import type { RuntimeConfig } from '../config/runtime-config.ts';
import { applyTrust } from '../grants/apply-trust.ts';
import { openBundleCache } from './bundle/bundle-cache.ts';
import type { Candidate, Finding } from './candidate.ts';
import type { AbsentHook, Catalog, HookEntry, Origin } from './catalog.ts';
import { openConfigSchemas, type ConfigSchema } from './config-schema/config-schema.ts';
import { makeEntry, type EntryMaker } from './hook-entry.ts';
import { findHookFile, findLocalHooks } from './local-hooks.ts';
import { readLock } from './lock/lock-file.ts';
import { checkNames, requireHooks } from './named-hooks.ts';
import { findPackageHooks, missing, type PackageFindings } from './package-hooks.ts';

/**
 * Finds every hook of a configuration: the local ones, then those of its packages in their order. Names are settled, code
 * is bundled, and no code of a hook runs. Throws `hook_required` when a required hook would not run, and `lock_invalid`; everything else
 * that is wrong is told in `absent` and `warnings`, or is the `failure` of its hook.
 */
export async function buildCatalog(config: RuntimeConfig): Promise<Catalog> {
  const lock = await readLock(config.folder);
  const [local, ...packages] = await Promise.all([
    config.hookFile === undefined ? findLocalHooks(config.folder) : findHookFile(config),
    ...config.packages.map((entry) => findPackageHooks(entry, config, lock)),
  ]);
  const findings = [
    { findings: local, warnings: [] },
    ...applyTrust(refuseImpostors(config, packages), config, lock),
  ] as const satisfies readonly PackageFindings[];
  const settled = settleNames(
    findings.flatMap((item) => item.findings),
    config.hooks.disabled,
  );
  const maker: EntryMaker = {
    config,
    compileSchema: openSchemasOnce(),
    bundles: openBundleCache(config.cacheFolder),
  };
  const made = await Promise.all(
    settled.map(async (item) =>
      item.kind === 'candidate' ? await makeEntry(item.candidate, maker) : item,
    ),
  );
  const hooks: HookEntry[] = [];
  const absent: AbsentHook[] = [];
  for (const item of made) {
    if ('kind' in item) {
      if (item.kind === 'absent') absent.push(item.absent);
    } else if (item.ok) hooks.push({ ...item.entry, registration: hooks.length });
    else absent.push(item.absent);
  }
  const warnings = new Set(findings.flatMap((item) => item.warnings));
  for (const { error } of absent) if (error !== undefined) warnings.add(error);
  for (const warning of checkNames(config.hooks, { hooks, absent })) warnings.add(warning);
  const catalog = { hooks, absent, warnings: [...warnings] };
  requireHooks(config.hooks.required, catalog);
  return catalog;
}

/**
 * Hooks of one name and version share processes, and grants go by name. A second package that claims both from another
 * folder is refused.
 */
function refuseImpostors(
  config: RuntimeConfig,
  packages: readonly PackageFindings[],
): readonly PackageFindings[] {
  const roots = new Map<string, string>();
  return packages.map((item, index) => {
    const entry = config.packages[index];
    if (item.folder === undefined || entry === undefined) return item;
    const identity = `${item.folder.name}@${item.folder.version}`;
    const root = roots.get(identity);
    roots.set(identity, root ?? item.folder.root);
    if (root === undefined || root === item.folder.root) return item;
    const detail = `another package of this runtime is ${identity} already`;
    return missing(
      entry,
      new SignalboxError('package_invalid', { package: entry.package, detail }),
    );
  });
}

/** Takes out what is disabled, and of two hooks with one name the later. */
function settleNames(
  findings: readonly Finding[],
  disabled: readonly string[],
): readonly Finding[] {
  const kept = new Map<string, Candidate>();
  return findings.map((finding) => {
    if (finding.kind === 'absent') return finding;
    const { candidate } = finding;
    const { name, origin, manifest } = candidate;
    if (disabled.includes(name) || !manifest.enabled) {
      return { kind: 'absent', absent: { name, origin, reason: 'disabled' } };
    }
    const first = kept.get(name);
    kept.set(name, first ?? candidate);
    if (first === undefined) return finding;
    const error = new SignalboxError('hook_name_conflict', {
      hook: name,
      kept: describe(first),
      dropped: describe(candidate),
    });
    return { kind: 'absent', absent: { name, origin, reason: 'conflict', error } };
  });
}

function describe({ origin, code, locked }: Candidate): string {
  const place = (code ?? locked)?.place.replace(/\/[^/]*$/, '') ?? 'hooks';
  return `${place} of ${nameOf(origin)}`;
}

function nameOf(origin: Origin): string {
  return origin.kind === 'local' ? 'the local hooks' : `${origin.name}@${origin.version}`;
}

/** Most manifests have no `configSchema`, and the compiler takes a tenth of a second to set up. */
function openSchemasOnce(): (schema: object) => ConfigSchema {
  let compile: ((schema: object) => ConfigSchema) | undefined;
  return (schema) => (compile ??= openConfigSchemas())(schema);
}
