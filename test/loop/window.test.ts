import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openWindow } from '../../src/loop/model/window.ts';

/** Pieces of a text as they are let out, and the rest at its end. */
async function pass(chunks: readonly string[], longestMatch: number, forbidden: RegExp) {
  const asked: string[] = [];
  const window = openWindow({
    longestMatch,
    async isClean(piece) {
      asked.push(piece);
      return !forbidden.test(piece);
    },
  });
  let released = '';
  for (const chunk of chunks) released += await window.add(chunk);
  return { released, asked, rest: await window.finish() };
}

const SSN = /\d{3}-\d{2}-\d{4}/;

test('[E01] nothing of a match is let out, wherever it stands and wherever the text is cut', async () => {
  const filler = 'lorem ipsum 12-3 '.repeat(12);
  for (let at = 0; at <= filler.length; at += 1) {
    const text = `${filler.slice(0, at)}123-45-6789${filler.slice(at)}`;
    const cut = (at * 31) % text.length;
    const { released, rest } = await pass([text.slice(0, cut), text.slice(cut)], 11, SSN);
    expect(text.startsWith(released)).toBe(true);
    expect(released.length).toBeLessThanOrEqual(at);
    expect(rest).toBeUndefined();
  }
});

test('[E01] the same holds for any text, any cuts and any length of a match', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: fc.constantFrom('a', 'b', ' ', '😀'), maxLength: 400 }),
      fc.integer({ min: 2, max: 40 }),
      fc.array(fc.nat(400), { maxLength: 12 }),
      async (text, length, cuts) => {
        const ends = [...cuts, text.length].toSorted((a, b) => a - b);
        const chunks = ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end));
        const forbidden = new RegExp(`a[^b]{0,${length - 2}}b`, 'u');
        const { released, rest } = await pass(chunks, 2 * length, forbidden);
        const match = forbidden.exec(text);
        if (match === null) expect(released + (rest ?? '')).toBe(text);
        else {
          expect(released.length).toBeLessThanOrEqual(match.index);
          expect(rest).toBeUndefined();
        }
        expect(released.isWellFormed()).toBe(true);
      },
    ),
    { numRuns: 300 },
  );
});

test('where a text is cut into pieces changes neither what is asked nor what is let out', async () => {
  const text = 'A clean answer that goes on for a while. '.repeat(20);
  const whole = await pass([text], 16, SSN);
  const letters = await pass(Array.from(text), 16, SSN);
  expect(letters).toEqual(whole);
  expect(whole.released.length).toBeGreaterThan(text.length / 2);
  expect(whole.asked.length).toBeLessThan(text.length / 60 + 2);
});

test('a hook that looks a little further than it says still stops the text within its match', async () => {
  const text = `${'x'.repeat(200)}secret ${'x'.repeat(200)}`;
  const { released, rest } = await pass(Array.from(text), 6, /secret(?=\s)/);
  expect(released).not.toContain('secret');
  expect(rest).toBeUndefined();
});
