import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { scrubRun } from '../../src/fire/scrubbed-run.ts';
import { openSecrets } from '../../src/bridges/secrets.ts';
import { temporaryFolder } from '../sql/temporary-folder.ts';

test('a secret is the file of its name, else the variable, read anew each time', async () => {
  const folder = temporaryFolder();
  const env: Record<string, string> = { SIGNALBOX_SECRET_A: 'from-env', A: 'not this' };
  const secrets = openSecrets({ folder, env });
  expect(await secrets.read('A')).toBe('from-env');
  writeFileSync(join(folder, 'A'), 'from-file\n');
  expect(await secrets.read('A')).toBe('from-file');
  writeFileSync(join(folder, 'A'), 'rotated');
  expect(await secrets.read('A')).toBe('rotated');
  expect(await secrets.read('B')).toBeUndefined();
});

test('a value that was read is taken out of texts, in the forms that programs write it', async () => {
  const value = 'p@ss "word"';
  const secrets = openSecrets({ folder: undefined, env: { SIGNALBOX_SECRET_A: value } });
  expect(secrets.scrub(value)).toBe(value);
  await secrets.read('A');
  for (const form of [
    value,
    JSON.stringify(value),
    encodeURIComponent(value),
    Buffer.from(value).toString('base64'),
    Buffer.from(value).toString('hex'),
  ]) {
    const scrubbed = secrets.scrub(`it is ${form}, really ${form}`);
    expect(scrubbed).toContain('[secret]');
    expect(scrubbed).not.toContain(form.replaceAll('"', ''));
  }
});

test('a run says no secret in its lines, errors and reasons, and still hands it to a tool', async () => {
  const secrets = openSecrets({ folder: undefined, env: { SIGNALBOX_SECRET_A: 'tok"en-1' } });
  await secrets.read('A');
  const answer = JSON.stringify({
    action: 'modify',
    note: 'used tok"en-1',
    notice: { text: 'tok"en-1', level: 'info' },
    payload: { args: { auth: 'tok"en-1' } },
  });
  const run = scrubRun({ ok: true, ms: 1, logs: ['sent tok"en-1'], answer }, secrets);
  expect(run.logs).toEqual(['sent [secret]']);
  expect(run.ok && JSON.parse(run.answer)).toEqual({
    action: 'modify',
    note: 'used [secret]',
    notice: { text: '[secret]', level: 'info' },
    payload: { args: { auth: 'tok"en-1' } },
  });
  const failed = scrubRun(
    { ok: false, code: 'thrown', detail: 'Error: tok"en-1', ms: 1, logs: [] },
    secrets,
  );
  expect(failed).toMatchObject({ detail: 'Error: [secret]' });
});

test.each(['[]', 'null', '"tok"', '{', '{"reason":{"a":"tok1"}}', 'tok1'])(
  'an answer that is no decision is left for the parser to refuse: %s',
  async (answer) => {
    const secrets = openSecrets({ folder: undefined, env: { SIGNALBOX_SECRET_A: 'tok1' } });
    await secrets.read('A');
    const run = scrubRun({ ok: true, ms: 1, logs: [], answer }, secrets);
    expect(run).toMatchObject({ answer });
  },
);
