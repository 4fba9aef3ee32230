import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createInFlight } from '../../src/fire/in-flight.ts';
import type { LogFields } from '../../src/log.ts';
import type { Edition } from '../../src/reload/edition.ts';
import { createEditions } from '../../src/reload/editions.ts';
import { createCheckout, type Checkout } from './checkout.ts';

/** A busy machine takes its time to start sandboxes. */
const BUSY_MS = 120_000;
const MINUTE_MS = 60_000;

let checkout: Checkout | undefined;

// The clock that turns are looked through by; everything else of a runtime keeps the time.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());
afterAll(() => checkout?.remove());

test(
  'a turn that never ends has the new hooks ten minutes after they came, however often it calls',
  { timeout: BUSY_MS },
  async () => {
    checkout = await createCheckout();
    const says = (word: string) => ({ run: `({ action: 'block', reason: '${word}' })` });
    await checkout.hook('local', 'guard', says('old'));
    await checkout.configure({});
    const runtime = await checkout.open();
    const call = async (): Promise<string | undefined> => {
      const context = { sessionId: 's', turnId: 'constant' };
      return (await runtime.fire('preToolUse', { toolName: 't' }, context)).reason;
    };
    // However long it lasted before.
    for (let minute = 0; minute < 15; minute += 1) {
      expect(await call()).toBe('old');
      vi.advanceTimersByTime(MINUTE_MS);
    }
    await checkout.hook('local', 'guard', says('new'));
    await runtime.reload({ who: 'ann' });
    for (let minute = 0; minute < 10; minute += 1) {
      vi.advanceTimersByTime(MINUTE_MS);
      expect(await call()).toBe('old');
    }
    vi.advanceTimersByTime(MINUTE_MS);
    expect(await call()).toBe('new');
  },
);

/** What editions ask of an edition, one after another with a host of its own: no real one fails to end on demand. */
function editionOf(number: number, told: string[], failing: readonly string[] = []): Edition {
  const step = (what: string) => (): Promise<void> => {
    told.push(`${what} ${number}`);
    return failing.includes(what) ? Promise.reject(new Error(`no ${what}`)) : Promise.resolve();
  };
  const parts = {
    number,
    loaded: new Map(),
    inFlight: createInFlight(),
    host: { close: step('host') },
    close: step('bridges'),
  };
  return parts as unknown as Edition;
}

function createLog() {
  const lines: string[] = [];
  const info = (event: string, fields?: LogFields): void =>
    void lines.push(`${event} ${JSON.stringify(fields)}`);
  return { lines, info };
}

test('hooks of which one part cannot be ended are ended in the rest, and the log says so', async () => {
  const told: string[] = [];
  const log = createLog();
  const editions = createEditions(editionOf(1, told, ['host']), log);
  editions.replace(editionOf(2, told));
  await editions.idle();
  expect(told).toEqual(['host 1', 'bridges 1']);
  expect(log.lines).toEqual(['reload_end_failed {"edition":1,"detail":"no host"}']);
  expect(editions.all()).toHaveLength(1);
  await editions.close();
});

test('whoever closes waits for the old hooks that are on their way out', async () => {
  const told: string[] = [];
  const editions = createEditions(editionOf(1, told), createLog());
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  editions.replace({ ...editionOf(2, told), close: () => held });
  editions.replace(editionOf(3, told));
  await vi.waitFor(() => expect(told).toContain('host 2'));
  let isIdle = false;
  const idle = editions.idle().then(() => (isIdle = true));
  expect(editions.all()).toHaveLength(2);
  expect(isIdle).toBe(false);
  letGo();
  await idle;
  expect(editions.all()).toHaveLength(1);
  await editions.close();
});

test('all hooks are ended when the runtime closes, whichever of them cannot be', async () => {
  const told: string[] = [];
  const log = createLog();
  const editions = createEditions(editionOf(1, told, ['bridges']), log);
  editions.of({ sessionId: 's', turnId: 't' });
  editions.replace(editionOf(2, told, ['host', 'bridges']));
  await editions.close();
  expect(told).toEqual(['host 2', 'bridges 2', 'host 1', 'bridges 1']);
  expect(log.lines).toHaveLength(3);
});
