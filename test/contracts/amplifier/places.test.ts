import { afterAll, beforeAll, expect, test } from 'vitest';
import { openScenes, type Stage } from '../scenes.ts';
import { mountOf } from './mount.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openScenes('amplifier', {
    turns: {
      module: mountOf(`
        let running = 0;
        let most = 0;
        const enter = () => { running += 1; most = Math.max(most, running); };
        hooks.register('a:b', () => { enter(); running -= 1; return null; }, 0, 'quick');
        hooks.register('a:b', async () => {
          enter();
          await new Promise((go) => setTimeout(go, 5));
          running -= 1;
          return null;
        }, 1, 'slow');
        hooks.register('a:most', () => ({ action: 'modify', data: { most } }), 2, 'report');`),
    },
  });
}, 120_000);
afterAll(() => stage.remove());

test('two handlers of one module are never both at work in its place, however many calls of a session come at once', async () => {
  for (let round = 0; round < 5; round += 1) {
    const verdicts = await Promise.all(
      Array.from({ length: 8 }, () => stage.event('turns', 'a:b')),
    );
    const traces = verdicts.map(({ trace }) => trace.map(({ hook, code }) => code ?? hook));
    for (const trace of traces) expect(trace.slice(0, 2)).toEqual(['turns/quick', 'turns/slow']);
    const { payload } = await stage.event('turns', 'a:most');
    expect(payload.data).toEqual({ most: 1 });
  }
});
