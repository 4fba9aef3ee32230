import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

import { CHROMIUM, launch, LOOKS, openPage, seriousFindings } from './browser.ts';
import { HOSTILE, openSite, TOKEN, type Site } from './site.ts';

const PAGES = {
  overview: ['/', 'Overview'],
  decisions: ['/decisions', 'Decisions'],
  approvals: ['/approvals', 'Approvals'],
  packages: ['/packages', 'Packages'],
  hook: ['/hooks/asker', 'asker'],
  'try it': ['/try', 'Try it'],
  replay: ['/replay', 'Replay'],
} as const;

/** Scrolls the grid from top to end in 60 frames and gives back how long the slowest took. */
const SCROLL_THROUGH = `(async () => {
  const grid = document.querySelector('[role=grid]');
  let [slowest, last] = [0, performance.now()];
  for (let top = 0; top < grid.scrollHeight; top += grid.scrollHeight / 60) {
    grid.scrollTop = top;
    await new Promise((resolve) => requestAnimationFrame(resolve));
    slowest = Math.max(slowest, performance.now() - last);
    last = performance.now();
  }
  return slowest;
})()`;

interface Visit {
  readonly look?: BrowserContextOptions;
  readonly url?: string;
  /** The page asks for what it does not get. */
  readonly isRefused?: boolean;
}

const PATIENCE = { timeout: 60_000 };
const PAY = { toolName: 'pay', args: { amount: 1200, to: 'nora' } };

describe.skipIf(CHROMIUM === undefined)(
  `the console in Chromium${CHROMIUM === undefined ? ' (skipped: there is none here)' : ''}`,
  { timeout: 180_000 },
  () => {
    let site: Site;
    let browser: Browser;

    beforeAll(async () => {
      [site, browser] = await Promise.all([openSite(), launch()]);
      await site.runtime.fire('preToolUse', { toolName: 'cancel', args: {} });
      await site.runtime.fire('preToolUse', { toolName: 'mail', args: {} });
      await site.runtime.fire('preInput', { text: 'a secret' });
      await site.runtime.fire('postTurn', { turn: 1, input: 'Hello', output: 'Hello' });
    }, 180_000);
    afterAll(async () => {
      await browser?.close();
      await site?.close();
    });

    /** Opens a page of the console, to be closed with the test; nothing may go wrong in it. */
    async function visit(
      path: string,
      { look = LOOKS.light, url = site.url, isRefused = false }: Visit = {},
    ): Promise<Page> {
      const { page, faults, close } = await openPage(browser, `${url}/#${path}`, look);
      onTestFinished(async () => {
        await close();
        // A browser tells of each answer that is a refusal.
        expect(
          faults.filter((fault) => !isRefused || !/status of 4\d\d|ERR_FAILED/.test(fault)),
        ).toEqual([]);
      });
      return page;
    }

    const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });

    /** Waits for something that is to be seen. */
    const see = (page: Page, text: string | RegExp) =>
      page.getByText(text).first().waitFor({ state: 'visible' });

    test('it is on the screen without any outside asset', async () => {
      const hosts = new Set<string>();
      const page = await visit('/');
      page.on('request', (request) => hosts.add(new URL(request.url()).origin));
      const answer = await page.reload();
      const policy = answer?.headers()['content-security-policy'];
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
      await heading(page, 'Overview').waitFor();
      const paints = await page.evaluate(
        'performance.getEntriesByType("paint").map((paint) => `${paint.name} ${Math.round(paint.startTime)} ms`)',
      );
      expect([...hosts]).toEqual([site.url]);
      process.stdout.write(`${String(paints)}\n`);
    });

    test('the overview shows each point with the hooks that stand there', async () => {
      const page = await visit('/');
      const station = page
        .getByRole('listitem')
        .filter({ has: page.getByRole('heading', { name: 'preToolUse' }) });
      await station.getByRole('link', { name: 'guard' }).waitFor();
      const names = await station.getByRole('link').allTextContents();
      expect(names.toSorted()).toEqual(['asker', 'guard', 'trimmer', 'watcher']);
      await station.getByRole('img', { name: 'shadow' }).waitFor();
    });

    test('a decision appears in the live feed as it falls, with its trace', async () => {
      const page = await visit('/decisions');
      await see(page, /^Live$/);
      await site.runtime.fire(
        'preToolUse',
        { toolName: 'cancel', args: {} },
        { sessionId: 'seen-live' },
      );
      await page.getByRole('textbox', { name: 'Session' }).fill('seen-live');
      await page.getByRole('gridcell', { name: 'block' }).click();
      const trace = page.getByRole('region', { name: 'preToolUse' });
      await trace.getByRole('link', { name: 'guard' }).waitFor();
      // What stood behind the block did not run; what stood before it did.
      const steps = trace.getByRole('listitem');
      // A hook in shadow mode runs after the verdict.
      await steps.nth(3).waitFor();
      expect(await steps.allTextContents()).toEqual([
        expect.stringMatching(/^trimmer.*allow/),
        expect.stringMatching(/^guard.*block/),
        expect.stringMatching(/^asker.*did not run/),
        expect.stringMatching(/^watcher.*would allow/),
      ]);
    });

    test('recorded decisions are narrowed by package and by turn', async () => {
      const context = { sessionId: 's', turnId: 'turn-of-the-filter' };
      await site.runtime.fire('preToolUse', { toolName: 'cancel', args: {} }, context);
      const page = await visit('/decisions');
      await page.getByRole('radio', { name: 'Recorded' }).check({ force: true });
      await page.getByRole('textbox', { name: 'Turn' }).fill('turn-of-the-filter');
      const decisions = page.getByRole('gridcell', { name: /^block$/ });
      await expect.poll(() => decisions.count(), PATIENCE).toBe(1);
      await page.getByRole('textbox', { name: 'Package' }).fill('nobody');
      await see(page, 'No such decision is recorded');
      await page.getByRole('textbox', { name: 'Package' }).fill('plain');
      await expect.poll(() => decisions.count(), PATIENCE).toBe(1);
    });

    test('script in a reason or a label is shown and never run', async () => {
      const page = await visit('/decisions');
      await page.getByRole('radio', { name: 'Recorded' }).check({ force: true });
      await page.getByRole('combobox', { name: 'Hook' }).fill('guard');
      await page.getByRole('gridcell', { name: 'block' }).first().click();
      await page
        .getByRole('region', { name: 'Recorded decision' })
        .getByText(HOSTILE)
        .first()
        .waitFor();
      await page.goto(`${site.url}/#/hooks/guard`);
      await heading(page, HOSTILE).waitFor();
      await expect.poll(() => page.title()).not.toBe('pwned');
      expect(await page.locator('main img, main script').count()).toBe(0);
    });

    test('what a hook in shadow mode would have done is marked as such', async () => {
      const page = await visit('/decisions');
      await page.getByLabel('Would block').check();
      await page.getByRole('gridcell', { name: 'would block' }).first().waitFor();
    });

    test('an approval is granted by keyboard, for exactly what is shown', async () => {
      const page = await visit('/approvals');
      const { approval } = await site.runtime.fire('preToolUse', PAY, { sessionId: 'by-keys' });
      const id = approval?.id ?? '';
      await page.goto(`${site.url}/#/approvals/${id}`);
      await see(page, 'Pay 12?');
      const shown = await page.getByLabel('What will run').textContent();
      expect(JSON.parse(shown ?? '')).toMatchObject({ toolName: 'pay', args: { amount: 12 } });
      await see(page, '/args/amount');
      await page.keyboard.press('n');
      await page.keyboard.type('a d j k');
      await page.keyboard.press('Escape');
      expect(await site.runtime.approvals.show(id)).toMatchObject({ status: 'pending' });
      await page.keyboard.press('a');
      await expect
        .poll(async () => (await site.runtime.approvals.show(id)).status, PATIENCE)
        .toBe('granted');
      const payload = { ...PAY, args: { amount: 12, to: 'nora' } };
      expect(
        await site.runtime.approvals.redeem(id, payload, { sessionId: 'by-keys' }),
      ).toMatchObject({ ok: true, note: 'a d j k' });
    });

    test('j and k go through what waits, d denies what is shown and nothing else', async () => {
      const [first, second] = [
        await site.runtime.fire('preToolUse', PAY, { sessionId: 'walk-1' }),
        await site.runtime.fire('preToolUse', PAY, { sessionId: 'walk-2' }),
      ].map(({ approval }) => approval?.id ?? '');
      const page = await visit(`/approvals/${second ?? ''}`);
      await page.getByText('walk-2').waitFor();
      await page.keyboard.press('j');
      await page.getByText('walk-1').waitFor();
      await page.keyboard.press('k');
      await page.getByText('walk-2').waitFor();
      await see(page, 'What will run');
      await page.keyboard.press('d');
      const statusOf = async (id = '') => (await site.runtime.approvals.show(id)).status;
      await expect.poll(() => statusOf(second), PATIENCE).toBe('denied');
      expect(await statusOf(first)).toBe('pending');
    });

    test('a grant is taken from a package and given back', async () => {
      const page = await visit('/packages');
      const row = page.getByRole('row').filter({ hasText: 'emits:events' }).first();
      await row.getByRole('button', { name: 'Revoke' }).click();
      await row.getByRole('button', { name: 'Give back' }).waitFor();
      await see(page, /revoked grants of/);
      await row.getByRole('button', { name: 'Give back' }).click();
      await row.getByRole('button', { name: 'Revoke' }).waitFor();
    });

    test('a payload is tried on the chain, and what hooks made of it is shown', async () => {
      const page = await visit('/try', { isRefused: true });
      await page.getByRole('combobox', { name: 'Point' }).selectOption('preInput');
      const payload = page.getByLabel('Payload, as JSON');
      await payload.fill('{"text": ');
      expect(await page.getByRole('button', { name: 'Run' }).isDisabled()).toBe(true);
      await payload.fill('{"text": "my secret"}');
      await payload.press('Control+Enter');
      await page.getByLabel('Payload after').getByText('my [gone]').waitFor();
      await payload.fill('{"text": 1}');
      await payload.press('Control+Enter');
      await see(page, 'payload_invalid');
    });

    test('a hook is put into shadow mode with a reason, and enforced again', async () => {
      const page = await visit('/hooks/trimmer');
      const modeNow = () =>
        site.runtime.inventory().hooks.find(({ hook }) => hook === 'trimmer')?.mode;
      await page.getByLabel('Reason').fill('It trims too much');
      await page.getByRole('button', { name: 'Put into shadow mode' }).click();
      await page.getByRole('heading', { name: 'It only watches' }).waitFor();
      expect(modeNow()).toBe('shadow');
      await page.getByRole('button', { name: 'Enforce it' }).click();
      await page.getByRole('heading', { name: 'It is obeyed' }).waitFor();
      expect(modeNow()).toBe('enforce');
    });

    test('a recording is replayed, and what would be stopped is listed', async () => {
      const page = await visit('/replay');
      const call = { id: '1', type: 'function', function: { name: 'cancel', arguments: '{}' } };
      const recording = {
        messages: [
          { role: 'user', content: 'Stop it' },
          { role: 'assistant', content: null, tool_calls: [call] },
        ],
      };
      await page.getByLabel('Recording').setInputFiles({
        name: 'talk.jsonl',
        mimeType: 'application/json',
        buffer: Buffer.from(JSON.stringify(recording)),
      });
      await page.getByRole('gridcell', { name: 'preToolUse · cancel' }).click();
      await page.getByRole('region', { name: 'cancel' }).getByText('By guard').waitFor();
    });

    test('10,000 live decisions are scrolled and filtered with a handful of rows in the page', async () => {
      const page = await visit('/decisions');
      await see(page, /^Live$/);
      for (let done = 0; done < 10_000; done += 250) {
        await Promise.all(
          Array.from({ length: 250 }, (_, at) =>
            site.runtime.fire(
              'sessionStart',
              { sessionId: 'plain', resumed: false },
              { sessionId: at === 7 ? 'one-in-250' : 'many' },
            ),
          ),
        );
      }
      await see(page, /of 10,000, the oldest are let go/);
      const grid = page.getByRole('grid');
      const rows = grid.getByRole('row');
      expect(Number(await grid.getAttribute('aria-rowcount'))).toBe(10_001);
      const slowestMs = await page.evaluate<number>(SCROLL_THROUGH);
      process.stdout.write(`slowest frame while 10,000 rows scroll: ${Math.round(slowestMs)} ms\n`);
      expect(await rows.count()).toBeLessThan(80);
      await grid.press('End');
      await expect.poll(() => rows.last().getAttribute('aria-rowindex'), PATIENCE).toBe('10001');
      await page.getByRole('textbox', { name: 'Session' }).fill('one-in-250');
      await see(page, /^40 shown of 10,000/);
    });

    test('a server with a token asks for it, keeps it for the tab and takes no wrong one', async () => {
      const page = await visit('/packages', { url: site.lockedUrl, isRefused: true });
      const field = page.getByLabel('Token');
      await field.fill('not-the-token');
      await field.press('Enter');
      await see(page, 'unauthorised');
      await field.fill(TOKEN);
      await field.press('Enter');
      await heading(page, 'Packages').waitFor();
      await page.reload();
      await heading(page, 'Packages').waitFor();
      await page.getByRole('link', { name: 'Decisions' }).click();
      await see(page, /^Live$/);
      await page.getByRole('button', { name: 'Lock' }).click();
      await field.waitFor();
      expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toContain(
        TOKEN,
      );
    });

    test('the keyboard gets past the rail, and into and out of a decision', async () => {
      const page = await visit('/decisions');
      await see(page, /^Live$/);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      expect(await page.evaluate('document.activeElement.id')).toBe('page');
      const grid = page.getByRole('grid');
      await grid.focus();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Close' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Close' }).waitFor({ state: 'detached' });
      expect(await page.evaluate('document.activeElement.getAttribute("role")')).toBe('grid');
    });

    test('the theme is the one that was chosen, also after a reload', async () => {
      const page = await visit('/');
      await page.getByRole('button', { name: 'Theme: Auto' }).click();
      await page.getByRole('button', { name: 'Theme: Light' }).click();
      await page.reload();
      await page.getByRole('button', { name: 'Theme: Dark' }).waitFor();
      const dark = await page.evaluate('getComputedStyle(document.body).backgroundColor');
      expect(dark).toBe('rgb(17, 23, 21)');
    });

    test('the configuration is read again from the overview', async () => {
      const page = await visit('/');
      await page.getByRole('button', { name: 'Reload configuration' }).click();
      await see(page, 'Nothing changed');
    });

    test('a server that is gone is said to be, and what was shown stays', async () => {
      const page = await visit('/', { isRefused: true });
      await page.getByRole('link', { name: 'guard' }).first().waitFor();
      await page.route('**/v1/overview', (route) => route.abort());
      await see(page, 'The server cannot be reached');
      expect(await page.getByRole('link', { name: 'guard' }).count()).toBe(1);
      await page.unroute('**/v1/overview');
      await page.getByText('The server cannot be reached').waitFor({ state: 'detached' });
    });

    test('a place that does not exist, and a hook that does not, say so', async () => {
      const page = await visit('/nowhere');
      await heading(page, 'No such page').waitFor();
      const lost = await visit('/hooks/nobody', { isRefused: true });
      await see(lost, 'hook_unknown');
    });

    test.each(Object.keys(LOOKS))(
      'no page has a serious finding of axe or runs over in %s',
      async (look) => {
        const page = await visit('/', { look: LOOKS[look as keyof typeof LOOKS] });
        const found: Record<string, unknown> = {};
        for (const [name, [path, title]] of Object.entries(PAGES)) {
          await page.goto(`${site.url}/#${path}`);
          await heading(page, title).waitFor();
          await page.locator('.shimmer').waitFor({ state: 'detached' });
          const over = await page.evaluate<number>(
            'document.documentElement.scrollWidth - document.documentElement.clientWidth',
          );
          found[name] = [
            ...(await seriousFindings(page)),
            ...(over > 0 ? [`runs over by ${over} px`] : []),
          ];
        }
        expect(found).toEqual(Object.fromEntries(Object.keys(PAGES).map((name) => [name, []])));
      },
    );
  },
);
