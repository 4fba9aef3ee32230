import { join } from 'node:path';
import { SignalboxError } from '../../sdk/errors.ts';
import { createAccessRules, type AccessRules } from '../access/access-rules.ts';
import { openBudgets, type Budgets } from '../budgets/budgets.ts';
import type { RuntimeConfig } from '../config/runtime-config.ts';
import type { Log } from '../log.ts';
import type { Records } from '../records/records.ts';
import type { Database } from '../sql/database.ts';
import { openApprovals, type ApprovalDesk } from './approvals.ts';
import { createRecheck } from './recheck.ts';

/** What decides on a call besides hooks: rules, budgets, people. */
export interface ApprovalOffice {
  readonly access: AccessRules;
  readonly budgets: Budgets;
  readonly approvals: ApprovalDesk;
}

/** What an office works with. */
export interface OfficeParts {
  readonly config: RuntimeConfig;
  readonly database: Database;
  readonly records: Records;
  readonly log: Log;
}

/** Opens access rules, budgets and approvals over the records database. There is nothing to close. */
export function openApprovalOffice({
  config,
  database,
  records,
  log,
}: OfficeParts): ApprovalOffice {
  const access = createAccessRules(config.access);
  const budgets = openBudgets(database, config.budgets);
  const approvals = openApprovals({
    database,
    keyFile: join(config.folder, '.signalbox', 'approvals.key'),
    async record(record) {
      log.decision(record);
      // The decision stands although it could not be kept; that it could not is in the log.
      await records.append(record).catch((error: unknown) => log.problem(problemOf(error)));
    },
    recheck: createRecheck(access, budgets),
    now: Date.now,
  });
  return { access, budgets, approvals };
}

/** An error of the approvals as the log tells it. */
export function problemOf(error: unknown): SignalboxError {
  if (error instanceof SignalboxError) return error;
  return new SignalboxError('database', { detail: 'keep an approval' });
}
