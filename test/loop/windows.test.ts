import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Reply } from './scripted-model.ts';
import { echo, openTheatre, play, type Stage, type StageOptions } from './stages.ts';

/** A hook at preOutput that looks at no more than so many characters. */
const looking = (run: string, sessions: readonly string[], maxMatchChars?: number) => ({
  run,
  manifest: { points: ['preOutput'], when: { sessions }, ...(maxMatchChars && { maxMatchChars }) },
});

const theatre = openTheatre(
  {
    redact: looking(
      `({ action: 'modify', payload: { text: payload.text.replace(/\\d{3}-\\d{2}-\\d{4}/g, '***') } })`,
      ['redacted', 'both', 'mixed'],
      11,
    ),
    forbid: looking(
      `payload.text.includes('FORBIDDEN') ? ({ action: 'block', reason: 'not allowed' }) : ({ action: 'allow' })`,
      ['forbidden', 'both'],
      9,
    ),
    reject: looking(
      `payload.text.includes('WRONG') ? ({ action: 'rework', feedback: 'again' }) : ({ action: 'allow' })`,
      ['rejected'],
      5,
    ),
    ask: looking(
      `payload.text.includes('ASK') ? ({ action: 'ask', reason: 'sure?' }) : ({ action: 'allow' })`,
      ['asked'],
      3,
    ),
    whole: looking(`({ action: 'allow' })`, ['mixed']),
    far: looking(`({ action: 'allow' })`, ['far'], 500),
    fails: looking(`{ throw new Error('no') }`, ['fails'], 5),
    ends: {
      run: `{ throw new Error('no') }`,
      manifest: {
        points: ['preOutput'],
        when: { sessions: ['ends'] },
        maxMatchChars: 5,
        failPolicy: 'abort',
      },
    },
  },
  { approvals: { enabled: true } },
);

const FILLER = 'a clean stretch of words, '.repeat(12);

/** The screens that the client saw, one after the other. */
function screensOf({ events }: Stage): readonly string[] {
  let screen = '';
  return events.flatMap((event) => {
    if (event.type !== 'token') return [];
    screen = event.replace ? event.text : screen + event.text;
    return [screen];
  });
}

const lettersOf = (text: string): Reply => ({ text, chunks: text.match(/[^]{1,7}/g) ?? [] });

const say = (text: string, options: StageOptions) =>
  play(theatre.runtime, [lettersOf(text)], options);

test('[E01] clean text is shown before its end, and no more of it than hooks looked at', async () => {
  const stage = await say(FILLER, { sessionId: 'redacted' });
  const screens = screensOf(stage);
  expect(screens.length).toBeGreaterThan(3);
  expect(screens.at(-1)).toBe(FILLER);
  expect((await stage.history.load('redacted')).at(-1)?.content).toBe(FILLER);
}, 60_000);

test('[E01] no screen ever shows a part of a match, and what it shows last is what history keeps', async () => {
  const places = fc.record({
    at: fc.nat(FILLER.length),
    cuts: fc.uniqueArray(fc.integer({ min: 1, max: FILLER.length + 10 }), { maxLength: 30 }),
    secret: fc.constantFrom('123-45-6789', 'FORBIDDEN'),
  });
  await fc.assert(
    fc.asyncProperty(places, async ({ at, cuts, secret }) => {
      const text = `${FILLER.slice(0, at)}${secret}${FILLER.slice(at)}`;
      const ends = [...cuts, text.length].toSorted((a, b) => a - b);
      const chunks = ends.map((end, index) => text.slice(ends[index - 1] ?? 0, end));
      const stage = await play(theatre.runtime, [{ chunks }], { sessionId: 'both' });
      const clean = FILLER.slice(0, at);
      const last = secret === 'FORBIDDEN' ? 'not allowed' : text.replace(secret, '***');
      for (const screen of screensOf(stage)) {
        expect(screen === last || clean.startsWith(screen)).toBe(true);
      }
      expect(stage.shown).toBe(last);
      expect(stage.result.text).toBe(last);
      expect((await stage.history.load('both')).at(-1)?.content).toBe(last);
    }),
    { numRuns: 25 },
  );
}, 240_000);

test.each([
  ['one hook that must see the whole', { sessionId: 'mixed' }],
  ['strictBuffering', { sessionId: 'redacted', strictBuffering: true }],
  ['no stream', { sessionId: 'redacted', stream: false }],
])(
  'with %s the answer comes in one block',
  async (_, options) => {
    const stage = await say(FILLER, options);
    expect(screensOf(stage)).toEqual([FILLER]);
    expect(stage.points.filter((point) => point === 'preOutput')).toHaveLength(1);
  },
  60_000,
);

test('an answer that is shorter than the longest match comes in one block', async () => {
  expect(screensOf(await say(FILLER, { sessionId: 'far' }))).toEqual([FILLER]);
}, 60_000);

test('a block takes back what was shown', async () => {
  const stage = await say(`${FILLER}FORBIDDEN`, { sessionId: 'forbidden' });
  expect(stage.result).toMatchObject({ outcome: 'blocked', text: 'not allowed' });
  expect(stage.shown).toBe('not allowed');
  expect(screensOf(stage).length).toBeGreaterThan(2);
}, 60_000);

test('[AO26] a rejected answer is taken back and counts once, although hooks saw it in pieces', async () => {
  const wrong = lettersOf(`${FILLER}WRONG${FILLER}`);
  const stage = await play(theatre.runtime, [wrong, wrong, lettersOf(FILLER)], {
    sessionId: 'rejected',
  });
  expect(stage.result).toMatchObject({ outcome: 'answer', text: FILLER });
  expect(stage.shown).toBe(FILLER);
  expect(screensOf(stage).filter((screen) => screen === '')).toHaveLength(2);
  expect(stage.requests[1]?.messages.at(-1)).toMatchObject({ role: 'user', content: 'again' });
}, 60_000);

test('a person is asked once, about the whole answer', async () => {
  const text = `${FILLER}ASK${FILLER}`;
  const asked: unknown[] = [];
  const stage = await say(text, {
    sessionId: 'asked',
    async approve({ question }) {
      asked.push(question?.payload['text']);
      return 'allow';
    },
  });
  expect(asked).toEqual([text]);
  expect(stage.shown).toBe(text);
  expect(await theatre.runtime.approvals.list({ sessionId: 'asked' })).toHaveLength(1);
}, 60_000);

test('a hook that fails lets nothing out', async () => {
  const stage = await say(FILLER, { sessionId: 'fails' });
  expect(screensOf(stage)).toEqual(['Hook "fails" failed (fail-closed)']);
}, 60_000);

test('a hook whose failure is to end the run ends it in the stream, without another attempt', async () => {
  const stage = await say(FILLER, { sessionId: 'ends' });
  expect(stage.result.status).toBe('error');
  expect(stage.requests).toHaveLength(1);
  expect(stage.events.filter(({ type }) => type === 'token')).toEqual([]);
}, 60_000);

test('text beside tool calls is shown once hooks have seen all of it, or taken back', async () => {
  const calls = [{ id: '1', name: 'echo', args: { text: 'x' } }];
  const beside = (text: string) =>
    play(theatre.runtime, [{ ...lettersOf(text), calls }, { text: 'done' }], {
      sessionId: 'redacted',
      tools: [echo()],
    });
  expect(screensOf(await beside(FILLER))).toContain(FILLER);
  const screens = screensOf(await beside(`${FILLER}123-45-6789`));
  expect(screens).toContain('');
  expect(screens.join()).not.toContain('123-45');
}, 60_000);

test('an answer that breaks off is taken back before the next attempt', async () => {
  const cut: Reply = { ...lettersOf(FILLER), isCut: true };
  const stage = await play(theatre.runtime, [cut, { text: 'hi' }], { sessionId: 'redacted' });
  expect(screensOf(stage)).toContain('');
  expect(stage.shown).toBe('hi');
}, 60_000);
