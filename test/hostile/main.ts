import { parseArgs } from 'node:util';
import { runCorpus, warmUp } from './run-corpus.ts';
import type { Policy } from './stage.ts';

// Runs a folder of hostile hooks: npm run test:hostile -- --dir DIR [--policy open|closed] [--only NAME-PART]
const { values } = parseArgs({
  options: {
    dir: { type: 'string', default: '../shared/hostile' },
    policy: { type: 'string' },
    only: { type: 'string' },
  },
});
const policies: Policy[] =
  values.policy === 'open' || values.policy === 'closed' ? [values.policy] : ['closed', 'open'];
const write = (line: string): void => void process.stdout.write(`${line}\n`);
await warmUp();
const report = await runCorpus({
  folder: values.dir,
  policies,
  isWanted: ({ name }) => values.only === undefined || name.includes(values.only),
  onFinding: ({ name, classes, slowestMs, problems }, policy) =>
    write(
      `${problems.length === 0 ? 'ok  ' : 'FAIL'} ${policy} ${name} ${classes.join(',')} ${Math.round(slowestMs)} ms ${problems.join('; ')}`,
    ),
});
const failed = report.findings.filter(({ problems }) => problems.length > 0);
const { findings: _, ...whole } = report;
write(
  JSON.stringify(whole, (_key, value: unknown) =>
    typeof value === 'number' ? Math.round(value * 10) / 10 : value,
  ),
);
write(`${report.findings.length - failed.length} passed, ${failed.length} failed`);
process.exitCode = failed.length === 0 ? 0 : 1;
