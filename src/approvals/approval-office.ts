import { join } from 'node:path';
import { SignalboxError } from '../../sdk/errors.ts';
import type { Log } from '../log.ts';
import type { Records } from '../records/records.ts';
import type { Database } from '../sql/database.ts';
import { openApprovals, type ApprovalDesk } from './approvals.ts';
import { createRecheck, type OfficeRules } from './recheck.ts';

/** What an office works with. */
export interface OfficeParts {
  /** That of runtime.json. */
  readonly folder: string;
  readonly database: Database;
  readonly records: Records;
  readonly log: Log;
  /** The rules as they are when a granted call is about to run. */
  readonly rules: () => OfficeRules | Promise<OfficeRules>;
}

/** Opens the approvals over the records database. There is nothing to close. */
export function openApprovalOffice({
  folder,
  database,
  records,
  log,
  rules,
}: OfficeParts): ApprovalDesk {
  return openApprovals({
    database,
    keyFile: join(folder, '.signalbox', 'approvals.key'),
    async record(record) {
      log.decision(record);
      // The decision stands although it could not be kept; that it could not is in the log.
      await records.append(record).catch((error: unknown) => log.problem(problemOf(error)));
    },
    recheck: async (call) => createRecheck(await rules())(call),
    now: Date.now,
  });
}

/** An error of the approvals as the log tells it. */
export function problemOf(error: unknown): SignalboxError {
  if (error instanceof SignalboxError) return error;
  return new SignalboxError('database', { detail: 'keep an approval' });
}
