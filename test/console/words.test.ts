import { expect, test } from 'vitest';

import { passes, NO_FILTER } from '../../console/pages/decisions/filter.ts';
import { showJson, showMs } from '../../console/parts/figures.ts';

test('characters in a payload that cannot be seen or turn its order around are spelled out', () => {
  expect(showJson({ to: 'nora\u202Eexe.txt', from: 'a\u200Bb' })).toBe(
    '{\n  "to": "nora\\u{202e}exe.txt",\n  "from": "a\\u{200b}b"\n}',
  );
});

test.each([
  [0.0042, '4 µs'],
  [1.26, '1.3 ms'],
  [412.4, '412 ms'],
  [12_340, '12.3 s'],
])('%d ms is shown as %s', (ms, shown) => {
  expect(showMs(ms)).toBe(shown);
});

const TRACE = {
  fireId: 'f1',
  point: 'preToolUse',
  time: '2026-11-30T00:00:00Z',
  ms: 1,
  action: 'allow',
  sessionId: 's1',
  turnId: 't1',
  hooks: [{ hook: 'guard', package: '@acme/guards', action: 'allow', code: 'timeout', ms: 1 }],
  notRun: [],
  shadow: [{ hook: 'watcher', action: 'block', ms: 1 }],
};

test.each([
  [{ point: 'preToolUse' }, true],
  [{ point: 'preInput' }, false],
  [{ hook: 'gua' }, true],
  [{ hook: 'watcher' }, true],
  [{ hook: 'nobody' }, false],
  [{ action: 'block' }, false],
  [{ code: 'timeout' }, true],
  [{ session: 's2' }, false],
  [{ turn: 't1' }, true],
  [{ turn: 't2' }, false],
  [{ package: 'acme' }, true],
  [{ package: 'other' }, false],
  [{ wouldBlock: true }, true],
])('a filter of %o lets a fire pass: %s', (part, isSeen) => {
  expect(passes(TRACE, { ...NO_FILTER, ...part })).toBe(isSeen);
});
