import type { FastifyInstance } from 'fastify';

import { audit } from '../audit/audit.ts';
import type { AuditFacts } from '../audit/audit-facts.ts';
import type { AuditedPackage, AuditReport } from '../audit/audit-report.ts';
import { collectFacts } from '../audit/collect-facts.ts';
import type { GrantChange } from '../grants/grant-change.ts';
import type { LiveRuntime } from '../live-runtime.ts';
import { answers } from './openapi.ts';
import { actorOf } from './roles.ts';

const NAME = { type: 'string', minLength: 1, maxLength: 256 } as const;
const PARAMS = { type: 'object', properties: { package: NAME, capability: NAME } } as const;

interface OfGrant {
  readonly Params: { readonly package: string; readonly capability: string };
}

/** Adds the routes that show what code of others may do and did, and that take it away while it runs. */
export function addPackageRoutes(app: FastifyInstance, runtime: LiveRuntime): void {
  let reading: Promise<object> | undefined;
  const read = async (): Promise<object> => {
    // What was counted within the last second is not yet where the audit reads.
    await runtime.records.flush();
    const facts = await collectFacts(runtime.config, { unusedDays: UNUSED_DAYS });
    return packagesOf(facts, audit(facts));
  };
  app.get('/v1/packages', {
    config: { role: 'operator' },
    schema: {
      operationId: 'packages',
      summary: 'Show the packages with what they declare, are granted and used, and who agreed',
      response: answers('Packages', 401, 403, 429, 500, 503),
    },
    // Every file of every package is read: those who ask at the same time share one reading.
    handler: () => (reading ??= read().finally(() => (reading = undefined))),
  });
  const change = (operationId: string, summary: string) => ({
    operationId,
    summary,
    params: PARAMS,
    response: answers('GrantState', 400, 401, 403, 404, 429, 500, 503),
  });
  app.delete<OfGrant>('/v1/packages/:package/grants/:capability', {
    config: { role: 'admin' },
    schema: change(
      'revokeGrant',
      'Take a capability from the hooks of a package, from the next call on',
    ),
    handler: async ({ params: { package: target, capability }, caller }) => {
      await runtime.grants.revoke({ target, capabilities: [capability], by: actorOf(caller) });
      return { package: target, capability, granted: false };
    },
  });
  app.put<OfGrant>('/v1/packages/:package/grants/:capability', {
    config: { role: 'admin' },
    schema: change('restoreGrant', 'Give a capability back, up to what runtime.json grants'),
    handler: async ({ params: { package: target, capability }, caller }) => {
      await runtime.grants.restore({ target, capabilities: [capability], by: actorOf(caller) });
      return { package: target, capability, granted: true };
    },
  });
}

/** A grant that was not used for so many days is told; the default of the audit. */
const UNUSED_DAYS = 30;

function packagesOf({ lock, catalog }: AuditFacts, report: AuditReport): object {
  return {
    packages: report.packages.map((found) => ({
      package: found.name,
      version: found.version,
      integrity: found.integrity,
      ...(found.provenance && { provenance: found.provenance }),
      ...(found.consent && { consent: found.consent }),
      hooks: catalog.hooks
        .filter((entry) => entry.origin.name === found.name)
        .map(({ name }) => name),
      capabilities: capabilitiesOf(report, found),
    })),
    findings: report.findings,
    history: [
      ...lock.history.map(({ at, by, action, package: name, version }) => ({
        time: at,
        who: by,
        what: action,
        package: name,
        version,
      })),
      ...report.grantChanges.map(changeOf),
    ].sort((a, b) => (a.time < b.time ? 1 : a.time > b.time ? -1 : 0)),
  };
}

function capabilitiesOf({ rows }: AuditReport, { name }: AuditedPackage): object[] {
  return rows
    .filter((row) => row.package === name)
    .map(({ hook, capability, isDeclared, isGranted, used }) => ({
      hook,
      capability,
      declared: isDeclared,
      granted: isGranted,
      used: used?.count ?? 0,
      ...(used && { lastUsed: used.lastDay }),
    }));
}

function changeOf({ action, target, capabilities, by, time }: GrantChange) {
  const at = new Date(time).toISOString();
  return { time: at, who: by, what: action, package: target, capabilities };
}
