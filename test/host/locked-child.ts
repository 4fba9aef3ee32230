import { readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { buildChildEntries } from '../../host/build.ts';
import { Child } from '../../host/child.ts';
import { launchPlans, type LaunchPlan } from '../../host/launch.ts';
import { tempFolder } from './hosts.ts';

/** A child of a package in which foreign code runs beside the isolates, as if the engine had let it out. */
export interface BrokenChild {
  readonly child: Child;
  /** What the code gave: its value, or `refused: …` with what it threw. */
  readonly said: Promise<unknown>;
}

/** Which way to start; the strictest unless told. */
type Choose = (plans: readonly ((serial: number) => LaunchPlan)[]) => LaunchPlan;

let serial = 500;

/**
 * Starts the real entry of a package's process, in the way the host starts it, with `body` run at its end: in Node's own
 * realm, after the lock-down. The maker kills the child.
 */
export async function breakIn(
  body: string,
  choose: Choose = (plans) => (plans[0] as (serial: number) => LaunchPlan)((serial += 1)),
): Promise<BrokenChild> {
  const entries = await buildChildEntries(path.join(os.tmpdir(), 'signalbox-test-entries'));
  const isolate = path.join(await tempFolder(), 'broken.mjs');
  await writeFile(isolate, `${await readFile(entries.isolate, 'utf8')}\n${afterwards(body)}`);
  // The folder of a test is its owner's alone; a child of another user reads the file by the permission that it has.
  await openFor(isolate);
  const plans = launchPlans('isolate', { ...entries, isolate });
  const child = await Child.start(choose(plans), entries.buildHash, 20_000);
  const said = new Promise<unknown>((resolve) => {
    child.listen({
      onMessage: (message) => {
        if (message.type === 'log') resolve(JSON.parse(message.line));
      },
      onExit: (exit) => resolve(`gone: ${exit}`),
    });
  });
  child.send({ type: 'drop', place: 0 });
  return { child, said };
}

async function openFor(file: string): Promise<void> {
  const { chmod } = await import('node:fs/promises');
  await chmod(path.dirname(file), 0o755);
  await chmod(file, 0o644);
}

/** A frame of the kind `log` is the one thing that honest code of the child could not confuse with an answer. */
function afterwards(body: string): string {
  return `{
  const say = (value) => send({ type: 'log', id: 0, line: JSON.stringify(value) ?? 'null' });
  const attempt = Object.getPrototypeOf(async () => {}).constructor(${JSON.stringify(body)});
  // The host listens by the time that it says something itself.
  await new Promise((resolve) => input.once('data', resolve));
  attempt().then(say, (error) => say('refused: ' + (error?.code ?? error?.message ?? error)));
}
`;
}
