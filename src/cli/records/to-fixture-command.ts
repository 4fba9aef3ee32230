import { writeFile } from 'node:fs/promises';
import { SignalboxError } from '../../../sdk/errors.ts';
import { printable } from '../../config/printable.ts';
import { fixtureOf, shapeOf } from '../../records/fixture.ts';
import { EXIT } from '../exit-code.ts';
import type { Session } from '../session.ts';
import { sealOf, withRecords } from './open-records.ts';

/** Options of `signalbox records to-fixture`. */
export interface FixtureFlags {
  /** Standard output, if absent. */
  readonly out?: string;
  /** With samples in place of what was kept of the data. */
  readonly shape?: boolean;
}

/** Writes a fixture for the tests of a hook from what it once decided. */
export async function runToFixture(
  session: Session,
  id: string,
  flags: FixtureFlags,
): Promise<number> {
  const { terminal } = session;
  return withRecords(session, async ({ config, records }) => {
    const record = await records.find(id);
    const isKept = config.records.payloads !== undefined;
    const kept = isKept ? (await records.exchanges([id], sealOf(config))).get(id) : undefined;
    const isShape = kept !== undefined && flags.shape === true;
    const fixture = fixtureOf(record, isShape ? shapeOf(record.point, kept) : kept);
    const text = `${JSON.stringify(fixture, null, 2)}\n`;
    if (flags.out === undefined) process.stdout.write(text);
    else await write(flags.out, text);
    if (kept === undefined || isShape) {
      terminal.note('The values are samples: write those that make the hook decide so.');
    }
    const folder = `hooks/${record.hook.split('/', 1)[0] ?? ''}/fixtures/`;
    terminal.note(
      `A fixture of hook "${printable(record.hook)}"; they stand in ${printable(folder)}`,
    );
    return EXIT.ok;
  });
}

async function write(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const detail = code === 'EEXIST' ? 'it exists' : (code ?? 'unknown error');
    throw new SignalboxError('file_unwritable', { file, detail });
  }
}
