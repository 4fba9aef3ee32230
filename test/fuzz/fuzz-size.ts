/** How many cases a property is tried on: small in `npm test`, 100,000 in `npm run test:fuzz`. */
export const RUNS = Number(process.env['SIGNALBOX_FUZZ_RUNS'] ?? 2000);

/** Where the random cases start, so that a failure comes again: `SIGNALBOX_FUZZ_SEED` chooses another. */
export const SEED = Number(process.env['SIGNALBOX_FUZZ_SEED'] ?? 20_261_130);

/** As long as the full size may take, in milliseconds. */
export const PATIENCE_MS = 3_600_000;
