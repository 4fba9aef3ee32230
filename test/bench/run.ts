import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isMet, markdownOf, tableOf, type Row } from './report.ts';

// `npm run bench`: runs every bench in a process of its own, one after the other, and writes RESULTS.md.
// `--only NAME` runs one of them and writes nothing; `--json FILE` writes the rows as JSON too.
const { values: flags } = parseArgs({
  options: { only: { type: 'string', multiple: true }, json: { type: 'string' } },
});
/** A bench that takes longer than this on any machine has hung. */
const LIMIT_MS = 180_000;
/** The second is what a server sets for itself and docs/embedding.md recommends. */
const EXEC_ARGV = ['--conditions=@signalbox/source', '--no-allocation-site-pretenuring'];
const folder = new URL('.', import.meta.url);
const names = (await readdir(folder))
  .filter((name) => name.endsWith('.bench.ts'))
  .map((name) => name.slice(0, -'.bench.ts'.length))
  .filter((name) => flags.only === undefined || flags.only.includes(name));

const results: {
  readonly bench: string;
  readonly question: string;
  readonly rows: readonly Row[];
}[] = [];
for (const bench of names) {
  const file = new URL(`${bench}.bench.ts`, folder);
  const rows = await runBench(fileURLToPath(file));
  const question = /^\/\/ (.+)$/m.exec(await readFile(file, 'utf8'))?.[1] ?? '';
  console.log(`\n${bench}: ${question}\n${tableOf(rows)}`);
  results.push({ bench, question, rows });
}
const judged = results.flatMap(({ rows }) => rows.map(isMet)).filter((met) => met !== undefined);
const score = `${judged.filter(Boolean).length} of ${judged.length} goals met`;
console.log(`\n${score}`);
if (flags.json !== undefined) {
  await writeFile(
    flags.json,
    `${JSON.stringify({ machine: await machine(), results }, null, 2)}\n`,
  );
}
if (flags.only === undefined) await writeFile(new URL('RESULTS.md', folder), await page());

/** The rows that a bench reports; those it came to before it failed are kept. */
async function runBench(file: string): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const child = fork(file, { execArgv: EXEC_ARGV, timeout: LIMIT_MS });
  child.on('message', (message: { readonly rows: readonly Row[] }) => rows.push(...message.rows));
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code === 0) return rows;
  process.exitCode = 1;
  return [
    ...rows,
    {
      measured: code === null ? 'did not end' : `failed with exit code ${code}`,
      value: NaN,
      unit: 'x',
    },
  ];
}

async function machine(): Promise<Readonly<Record<string, string>>> {
  const cpus = os.cpus();
  return {
    date: new Date().toISOString().slice(0, 16).replace('T', ' '),
    processor: `${cpus.length} × ${cpus[0]?.model.trim() ?? 'unknown'}`,
    memory: `${Math.round(os.totalmem() / 2 ** 30)} GB`,
    system: `${os.type()} ${os.release()} ${process.arch}`,
    load: os
      .loadavg()
      .map((load) => load.toFixed(1))
      .join(' '),
    node: `${process.version}, V8 ${process.versions.v8}`,
    signalbox: await versionOf('../../package.json'),
    'isolated-vm': await versionOf('../../node_modules/isolated-vm/package.json'),
    piscina: await versionOf('../../node_modules/piscina/package.json'),
    workerd: await versionOf('../../node_modules/workerd/package.json'),
  };
}

async function versionOf(file: string): Promise<string> {
  const { version } = JSON.parse(await readFile(new URL(file, folder), 'utf8')) as {
    version: string;
  };
  return version;
}

async function page(): Promise<string> {
  const facts = Object.entries(await machine()).map(([key, value]) => `| ${key} | ${value} |`);
  const parts = results.map(
    ({ bench, question, rows }) =>
      `## ${bench}\n\n${question} ([source](${bench}.bench.ts))\n\n${markdownOf(rows)}\n`,
  );
  const plots = (await readdir(folder))
    .filter((name) => name.endsWith('.svg'))
    .map((name) => `![${name.slice(0, -4)}](${name})\n`);
  return `# Results

Written by \`npm run bench\`: do not edit. Every figure was measured in this run, beside its baseline: subjects take turns in rounds, a p50 is the median of the rounds' medians, a ratio the median of the rounds' ratios. ${score}.

| | |
| --- | --- |
${facts.join('\n')}

${[...parts, ...plots].join('\n')}`;
}
