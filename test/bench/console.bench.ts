import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { createConsoleFiles } from '../../src/console/console-files.ts';
import { CHROMIUM, launch } from '../console/browser.ts';
import { writeFolder } from './bench-runtime.ts';
import { quantile } from './harness.ts';
import { report, type Row } from './report.ts';
import { startServer } from './started-server.ts';

// How large is the console, and how long does a person look at nothing before it shows what the recordings came to?
const ROUNDS = 7;
/** A word that stands nowhere else on the page. */
const HOOK = 'gatekeeper';
const RECORDING = fileURLToPath(new URL('../../recordings/shop.jsonl', import.meta.url));

/** Resolves with the time from the start of the page until it shows anything, in milliseconds. */
const FIRST_PAINT = `new Promise((resolve) => {
  const observer = new PerformanceObserver((list) => {
    const paint = list.getEntriesByName('first-contentful-paint')[0];
    if (paint !== undefined) resolve(paint.startTime);
  });
  observer.observe({ type: 'paint', buffered: true });
})`;

const rows: Row[] = [
  {
    measured: 'console, all of its files compressed',
    value: (await bundleBytes()) / 1024,
    unit: 'KB',
    goal: { of: 'value', most: 250 },
  },
];
if (CHROMIUM !== undefined) rows.push(...(await paintRows()));
report(rows);

async function bundleBytes(): Promise<number> {
  const folder = await createConsoleFiles()();
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.includes('.'));
  const files = await Promise.all(names.map((name) => readFile(join(folder, name))));
  return files.reduce((total, file) => total + gzipSync(file).length, 0);
}

async function paintRows(): Promise<readonly Row[]> {
  const bench = await writeFolder([{ name: HOOK }]);
  const server = await startServer({ ...bench, recording: RECORDING });
  const browser = await launch();
  try {
    const taken: Record<'paint' | 'figures' | 'word', number[]> = {
      paint: [],
      figures: [],
      word: [],
    };
    await visit(browser, server.url);
    for (let round = 0; round < ROUNDS; round += 1) {
      const word = await visit(browser, `data:text/html,<p>${HOOK}</p>`);
      const page = await visit(browser, server.url);
      taken.word.push(word.paintMs);
      taken.paint.push(page.paintMs);
      taken.figures.push(page.shownMs);
    }
    const baseline = {
      baseline: 'a page of one word',
      baselineValue: quantile(taken.word, 0.5),
    };
    return [
      {
        measured: 'first paint of the overview, nothing cached',
        value: quantile(taken.paint, 0.5),
        p99: quantile(taken.paint, 0.99),
        unit: 'ms',
        ...baseline,
        goal: { of: 'value', most: 1000 },
      },
      {
        measured: 'until it shows the hooks',
        value: quantile(taken.figures, 0.5),
        p99: quantile(taken.figures, 0.99),
        unit: 'ms',
        ...baseline,
      },
    ];
  } finally {
    await browser.close();
    await server.stop();
    await bench.remove();
  }
}

/** Opens an address in a browser without memory, until it shows the hook. */
async function visit(
  browser: Browser,
  url: string,
): Promise<{ readonly paintMs: number; readonly shownMs: number }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  try {
    const page = await context.newPage();
    const startedAt = performance.now();
    await page.goto(url);
    await page.getByText(HOOK).first().waitFor({ state: 'visible' });
    const shownMs = performance.now() - startedAt;
    return { paintMs: await page.evaluate<number>(FIRST_PAINT), shownMs };
  } finally {
    await context.close();
  }
}
