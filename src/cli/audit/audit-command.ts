import { audit } from '../../audit/audit.ts';
import type { AuditReport } from '../../audit/audit-report.ts';
import { collectFacts } from '../../audit/collect-facts.ts';
import { matrixCsv } from '../../audit/csv.ts';
import { suggestGrants } from '../../audit/suggest.ts';
import { loadConfig } from '../../config/load-config.ts';
import type { RuntimeConfig } from '../../config/runtime-config.ts';
import { EXIT } from '../exit-code.ts';
import type { Session } from '../session.ts';
import type { Terminal } from '../terminal.ts';

/** Flags of `audit`. */
export interface AuditFlags {
  readonly csv?: true;
  readonly suggest?: true;
  readonly online?: true;
  readonly unusedDays: number;
}

/** Shows what code of others may do here, what it did and what is wrong; exit code 1 when something drifted. */
export async function runAudit(
  session: Session,
  { csv, suggest, online, unusedDays }: AuditFlags,
): Promise<number> {
  const { terminal } = session;
  const config = await loadConfig(session.config);
  const facts = await collectFacts(config, {
    unusedDays,
    ...(online === true && { newestOf: (names) => newestOf(names, config) }),
  });
  if (suggest === true) {
    const suggestions = suggestGrants(facts);
    const patch = suggestions.flatMap((each) => each.patch);
    if (terminal.isJson) terminal.json(patch);
    else terminal.line(JSON.stringify(patch, null, 2));
    for (const { package: name, grants, suggested } of suggestions) {
      terminal.note(`${name}: ${grants.join(', ')} -> ${suggested.join(', ') || 'nothing'}`);
    }
    if (suggestions.length === 0) terminal.note('Every grant of a package that ran was used.');
    return EXIT.ok;
  }
  const report = audit(facts);
  if (terminal.isJson) terminal.json(report);
  else if (csv === true) terminal.line(matrixCsv(report.rows).trimEnd());
  else printReport(terminal, report);
  return report.isDrifted ? EXIT.problems : EXIT.ok;
}

function printReport(terminal: Terminal, { packages, rows, findings }: AuditReport): void {
  terminal.table(
    ['package', 'version', 'hooks', 'integrity', 'provenance', 'agreed'],
    packages.map(({ name, version, hooks, integrity, provenance, consent }) => [
      name,
      version,
      hooks,
      integrity,
      provenance?.attestation ?? '',
      consent === undefined ? '' : `${consent.by}, ${consent.at.slice(0, 10)}`,
    ]),
  );
  terminal.line('');
  terminal.table(
    ['package', 'hook', 'capability', 'declared', 'granted', 'used', 'last'],
    rows.map((row) => [
      row.package,
      row.hook,
      row.capability,
      row.isDeclared ? 'yes' : 'no',
      row.isGranted ? 'yes' : 'no',
      row.used?.count ?? 0,
      row.used?.lastDay ?? '',
    ]),
  );
  terminal.line('');
  if (findings.length === 0) return terminal.line('Nothing to look at.');
  terminal.table(
    ['weight', 'finding', 'package', 'hook', 'detail'],
    findings.map(({ weight, kind, package: name, hook = '', detail }) => [
      weight,
      kind,
      name,
      hook,
      detail,
    ]),
  );
}

/** Asks registries, with the user's npm configuration; what cannot be asked is left out. */
async function newestOf(
  names: readonly string[],
  config: RuntimeConfig,
): Promise<ReadonlyMap<string, string>> {
  const [{ loadNpmOptions }, { resolveVersion }] = await Promise.all([
    import('../../packages/fetch/npm-options.ts'),
    import('../../packages/fetch/registry.ts'),
  ]);
  const options = await loadNpmOptions(config.folder);
  const found = await Promise.all(
    names.map(async (name) => {
      const version = (await resolveVersion(name, 'latest', options))?.version;
      return version === undefined ? [] : [[name, version] as const];
    }),
  );
  return new Map(found.flat());
}
