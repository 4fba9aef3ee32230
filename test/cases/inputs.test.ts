import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openHistory } from '../../src/loop/index.ts';
import { openTemporary } from '../runtime/temporary-runtime.ts';
import { play } from '../loop/stages.ts';

test('[C11] a blocked input reaches no request, no history row, no record and no log, then or later', async () => {
  const temporary = await openTemporary({
    secrets: {
      run: `payload.text.includes('SOME') ? ({ action: 'block', reason: 'no secrets here' }) : ({ action: 'allow' })`,
      manifest: { points: ['preInput'] },
    },
  });
  const file = join(temporary.folder, 'history.db');
  const history = await openHistory(file);
  try {
    const { runtime } = temporary;
    const options = { sessionId: 's', history };
    const blocked = await play(runtime, [], { ...options, prompt: 'foo: SOME_DISTINCTIVE_STRING' });
    expect(blocked.result).toMatchObject({ outcome: 'blocked', text: 'no secrets here' });
    expect(blocked.requests).toEqual([]);
    expect(blocked.points).not.toContain('runStart');
    const next = await play(runtime, [{ text: 'nothing' }], {
      ...options,
      prompt: 'what did I just say?',
    });
    expect(JSON.stringify(next.requests)).not.toContain('DISTINCTIVE');
    expect(JSON.stringify(temporary.logged())).not.toContain('DISTINCTIVE');
    for (const each of [file, `${file}-wal`, runtime.config.records.file]) {
      expect(await readFile(each, 'latin1')).not.toContain('DISTINCTIVE');
    }
  } finally {
    await history.close();
    await temporary.remove();
  }
}, 60_000);
