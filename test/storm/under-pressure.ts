import { runStorm } from './run-storm.ts';

// A storm in a host that has little memory left: argv holds the calls, the seed, and the ballast in MiB. Prints the
// report as JSON.
const [, , calls = '300', seed = '1', ballastMb = '0'] = process.argv;
const WORDS_PER_MB = 131_072;
// Kept on V8's heap, in use until the end.
const ballast = Array.from({ length: Number(ballastMb) }, (_, at) =>
  Array.from({ length: WORDS_PER_MB }, (_word, index) => at + index + 0.5),
);
const report = await runStorm({ calls: Number(calls), seed: Number(seed), concurrency: 32 });
process.stdout.write(JSON.stringify({ ...report, ballast: ballast.length }));
