import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

/** A browser of this machine; `undefined` where there is none. */
export const CHROMIUM = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((file) => existsSync(file));

/** Looks in which every page must be usable. */
export const LOOKS = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  phone: {
    colorScheme: 'light',
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
  },
} as const satisfies Readonly<Record<string, BrowserContextOptions>>;

/** A page with what went wrong in it. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors of scripts, of the content security policy and of requests. */
  readonly faults: readonly string[];
  readonly close: () => Promise<void>;
}

/** Starts a browser without a window. */
export function launch(): Promise<Browser> {
  return chromium.launch({ ...(CHROMIUM && { executablePath: CHROMIUM }), args: ['--no-sandbox'] });
}

/** Opens an address in a context of its own. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = LOOKS.light,
): Promise<WatchedPage> {
  const context = await browser.newContext({ ...options, reducedMotion: 'reduce' });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => void faults.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(message.text());
  });
  await page.goto(url);
  return { page, faults, close: () => context.close() };
}

/** What axe finds serious or critical in a page, with the elements. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // Through the debugger: the page's own policy lets no foreign script in.
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run({
      resultTypes: ['violations'],
    });
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
  });
}
