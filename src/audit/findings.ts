import semver from 'semver';
import { failPolicyOf } from '../../sdk/manifest.ts';
import { standing } from '../grants/grant-change.ts';
import type { HookEntry } from '../packages/catalog.ts';
import type { AuditFacts } from './audit-facts.ts';
import { finding, type AuditedPackage, type Finding, type FindingKind } from './audit-report.ts';
import { dayBefore, usedOf, usesOf } from './capability-use.ts';
import { lockFindings } from './lock-findings.ts';

/** Everything that an operator should look at, drift first. */
export function findingsOf(
  facts: AuditFacts,
  packages: readonly AuditedPackage[],
): readonly Finding[] {
  const all = [
    ...facts.catalog.hooks.flatMap((entry) => hookFindings(entry, facts)),
    ...absenceFindings(facts),
    ...lockFindings(facts),
    ...packages.flatMap(packageFindings),
    ...standing(facts.grantChanges).map(({ action, target, capabilities, by, time }) => {
      const when = new Date(time).toISOString();
      const detail = `${action === 'narrow' ? 'narrowed to' : 'revoked'} ${capabilities.join(', ')} by ${by} at ${when}`;
      return finding('restricted', { package: target, detail });
    }),
  ];
  const weights = ['drift', 'warning', 'notice'];
  return all.sort((a, b) => weights.indexOf(a.weight) - weights.indexOf(b.weight));
}

/** How failures of a hook that are known without running it are named here. */
const FAILURE_KINDS: Readonly<Record<string, FindingKind>> = {
  package_tampered: 'tampered',
  not_installed: 'missing',
  ungranted: 'ungranted',
  untrusted: 'untrusted',
};

function hookFindings(entry: HookEntry, facts: AuditFacts): Finding[] {
  const { name, origin, failure, manifest, source } = entry;
  const about = { package: origin.name, hook: name };
  const found: Finding[] = [];
  if (failure !== undefined) {
    const kind = FAILURE_KINDS[failure.code] ?? 'failing';
    found.push(finding(kind, { ...about, detail: `${failure.code}: ${failure.detail}` }));
  }
  const open = manifest.points.filter(
    (point) => failPolicyOf(point, manifest, entry.failPolicy) === 'open',
  );
  const isGuard = manifest.capabilities.some((text) => text.startsWith('gates_'));
  if (isGuard && open.length > 0) {
    const detail = `when it fails, calls pass at ${open.join(', ')}`;
    found.push(finding('runs_open', { ...about, detail }));
  }
  if (isGuard && entry.mode === 'shadow') {
    const detail = 'what it decides is recorded and stops nothing';
    found.push(finding('in_shadow', { ...about, detail }));
  }
  if (origin.kind === 'package' && source.sandbox === 'worker') {
    const detail = 'code of others runs in a worker, with the rights of this user';
    found.push(finding('unsandboxed', { ...about, detail }));
  }
  return [...found, ...unusedFindings(entry, facts)];
}

/** Grants that nothing used for long. One that is younger than that has had no time to be used. */
function unusedFindings(entry: HookEntry, facts: AuditFacts): Finding[] {
  const { origin, name, granted } = entry;
  if (origin.kind === 'local') return [];
  const since = dayBefore(facts.now, facts.unusedDays);
  const at = facts.entries.find((each) => each.name === origin.name)?.locked?.consent.at;
  if (at !== undefined && at.slice(0, 10) > since) return [];
  const uses = usesOf(facts.uses, name, origin);
  return granted.flatMap((capability) => {
    const used = usedOf(uses, capability);
    if (used !== undefined && used.lastDay >= since) return [];
    const detail = `${capability} was ${used === undefined ? 'never used' : `last used on ${used.lastDay}`}`;
    return [finding('unused_grant', { package: origin.name, hook: name, detail })];
  });
}

function absenceFindings({ catalog, config }: AuditFacts): Finding[] {
  const found: Finding[] = [];
  for (const { name, origin, reason, error } of catalog.absent) {
    const about = { package: origin.name, hook: name };
    const detail = error?.message ?? reason.replaceAll('_', ' ');
    if (reason === 'not_installed') found.push(finding('missing', { ...about, detail }));
    else if (reason === 'awaiting_consent') {
      found.push(finding('awaiting_consent', { ...about, detail }));
    } else if (reason === 'skipped') found.push(finding('failing', { ...about, detail }));
  }
  for (const hook of config.hooks.required) {
    const entry = catalog.hooks.find(({ name }) => name === hook);
    if (entry !== undefined && entry.failure === undefined) continue;
    const detail =
      entry?.failure === undefined ? 'it is required and not there' : 'it is required and fails';
    const owner = entry?.origin.name ?? '';
    found.push(finding('required_missing', { package: owner, hook, detail }));
  }
  return found;
}

function packageFindings({
  name,
  version,
  integrity,
  provenance,
  newest,
}: AuditedPackage): Finding[] {
  const found: Finding[] = [];
  const isFetched = integrity !== 'own' && integrity !== 'unlocked';
  if (isFetched && provenance?.attestation !== 'verified') {
    const detail = `nothing proves what it was built from; its signature is ${provenance?.signature ?? 'absent'}`;
    found.push(finding('no_provenance', { package: name, detail }));
  }
  if (newest !== undefined && semver.valid(version) !== null && semver.gt(newest, version)) {
    found.push(finding('behind', { package: name, detail: `${version} runs, ${newest} is out` }));
  }
  return found;
}
