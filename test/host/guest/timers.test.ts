import { afterAll, beforeAll, expect, test } from 'vitest';
import { LIMITS } from '../../../sdk/limits.ts';
import { openProbe, type Probe } from './probe.ts';

let probe: Probe;
beforeAll(async () => {
  probe = await openProbe();
});
afterAll(() => probe.close());

test('a timer hands its arguments on, once', async () => {
  const { value } = await probe.run(`
    const calls = [];
    const id = setTimeout((...args) => calls.push(args), 1, 'a', 2);
    await new Promise((resolve) => setTimeout(resolve, 5));
    return [calls, typeof id];`);
  expect(value).toEqual([[['a', 2]], 'number']);
});

test('an interval repeats until it is cleared from its own callback', async () => {
  const { value } = await probe.run(`
    let calls = 0;
    await new Promise((resolve) => {
      const id = setInterval(() => { calls += 1; if (calls === 3) { clearInterval(id); resolve(); } });
    });
    await new Promise((resolve) => setTimeout(resolve, 5));
    return calls;`);
  expect(value).toBe(3);
});

test('a cleared timer does not fire, by whichever name and also by the text of its id', async () => {
  const { value } = await probe.run(`
    const fired = [];
    clearTimeout(setTimeout(() => fired.push('a'), 1));
    clearInterval(setTimeout(() => fired.push('b'), 1));
    clearTimeout(setInterval(() => fired.push('c'), 1));
    clearTimeout(String(setTimeout(() => fired.push('d'), 1)));
    clearTimeout(999); clearTimeout({}); clearTimeout(null);
    await new Promise((resolve) => setTimeout(resolve, 8));
    return fired;`);
  expect(value).toEqual([]);
});

test('timers fire in the order of their delays, and odd delays mean at once', async () => {
  const { value } = await probe.run(`
    const order = [];
    const later = new Promise((resolve) => setTimeout(() => resolve(order.push('later')), 30));
    for (const delay of [undefined, null, NaN, -5, '1', 0, 1.9, {}]) setTimeout(() => order.push('now'), delay);
    await later;
    return order;`);
  expect(value).toEqual([...Array.from({ length: 8 }, () => 'now'), 'later']);
});

test(`the ${LIMITS.timers + 1}st pending timer is refused, and one that has fired frees its place`, async () => {
  const { value } = await probe.run(`
    const pending = Array.from({ length: ${LIMITS.timers} }, () => setTimeout(() => {}, 1));
    let refused;
    try { setTimeout(() => {}, 1); } catch (error) { refused = [error.name, error.message]; }
    try { AbortSignal.timeout(1); } catch (error) { refused.push(error.name); }
    clearTimeout(pending[0]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await new Promise((resolve) => setTimeout(resolve, 1));
    return refused;`);
  expect(value).toEqual([
    'QuotaExceededError',
    `More than ${LIMITS.timers} timers are pending`,
    'QuotaExceededError',
  ]);
});

test('what a timer callback throws reaches whoever fires it', async () => {
  const { lines } = await probe.run(`
    setTimeout(() => { throw new TypeError('late'); }, 1);
    await new Promise((resolve) => setTimeout(resolve, 8));`);
  expect(lines).toEqual(['unhandled: TypeError: late']);
});

test('a listener or microtask that throws lets the others run, and its error is not lost', async () => {
  const { value, lines } = await probe.run(`
    const log = [];
    const target = new EventTarget();
    target.addEventListener('x', () => { throw new Error('listener'); });
    target.addEventListener('x', () => log.push('second'));
    log.push(target.dispatchEvent(new Event('x')));
    queueMicrotask(() => log.push('micro'));
    await null;
    return log;`);
  expect(value).toEqual(['second', true, 'micro']);
  expect(lines).toEqual(['unhandled: Error: listener']);
  const micro = await probe.run("queueMicrotask(() => { throw new Error('micro'); }); return 1;");
  expect(micro).toMatchObject({ value: 1, lines: ['unhandled: Error: micro'] });
});
