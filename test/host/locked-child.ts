import { randomInt } from 'node:crypto';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Child } from '../../host/child.ts';
import { launchPlans, type Layer } from '../../host/launch.ts';
import { tempFolder } from './hosts.ts';
import { testEntries } from './child-entries.ts';

/** A child of a package in which foreign code runs beside the isolates, as if the engine had let it out. */
export interface BrokenChild {
  readonly child: Child;
  /** What the code gave as JSON, `refused: …` with what it threw, or `gone` when the process ended with it. */
  readonly said: Promise<unknown>;
}

/** What else is taken to have fallen. */
export interface Fallen {
  /** Modules of Node.js that the code got hold of before the lock-down, as properties of `modules`. */
  readonly modules?: readonly string[];
  /** Node's permission model is off. */
  readonly permission?: boolean;
  /** What the first message must name, if not what it does name. */
  readonly hash?: string;
}

/**
 * Starts the real entry of a package's process as the host starts it, with `body` run at its end: in Node's own realm,
 * after the lock-down. The maker kills the child.
 */
export async function breakIn(body: string, fallen: Fallen = {}): Promise<BrokenChild> {
  const { modules = [], permission = false } = fallen;
  const entries = await testEntries();
  const isolate = path.join(await tempFolder(), 'broken.mjs');
  const imports = modules.map((name) => `import * as stolen_${name} from 'node:${name}';`);
  const whole = [
    STANDSTILL,
    ...imports,
    await readFile(entries.isolate, 'utf8'),
    afterwards(body, modules),
  ];
  await writeFile(isolate, whole.join('\n'));
  // The folder of a test is its owner's alone, and the child is another user.
  await chmod(path.dirname(isolate), 0o755);
  const [makePlan] = launchPlans('isolate', { ...entries, isolate });
  if (makePlan === undefined) throw new Error('There is no way to start a child');
  // Each child is another user.
  const plan = makePlan(randomInt(50_000));
  const args = plan.args.filter((word) => !permission || !/^--(permission|allow-)/.test(word));
  // A child says what it could not give up in place of the hash.
  const hash = fallen.hash ?? (permission ? 'fs.read,addon' : entries.buildHash);
  const child = await Child.start(
    { ...plan, args },
    { buildHash: hash, startMs: 20_000, signal: new AbortController().signal },
  );
  const said = new Promise<unknown>((resolve) => {
    child.listen({
      onMessage: (message) => {
        if (message.type === 'log') resolve(JSON.parse(message.line));
      },
      onExit: () => resolve('gone'),
    });
  });
  child.send({ type: 'drop', place: 0 });
  return { child, said };
}

/** What the code gave; its child is gone afterwards. */
export async function attempt(body: string, fallen?: Fallen): Promise<unknown> {
  const { child, said } = await breakIn(body, fallen);
  try {
    return await said;
  } finally {
    child.kill();
    await child.gone;
  }
}

/** The layers of the strictest way to start a child that works on this machine. */
export async function activeLayers(): Promise<readonly Layer[]> {
  const { child } = await breakIn('return 0');
  child.kill();
  await child.gone;
  return child.layers;
}

/** Keeps the process from waiting for its host in the kernel, where no foreign code would get on. */
const STANDSTILL = `const { read: readLater } = process.getBuiltinModule('node:fs'); globalThis.setImmediate = () => {};`;

/** Waits for a word of the host, who listens by then, and tells what came of the code in the one kind that means nothing. */
function afterwards(body: string, modules: readonly string[]): string {
  const stolen = modules.map((name) => `${JSON.stringify(name)}: stolen_${name}`).join();
  return `{
  const say = (value) => send({ type: 'log', id: 0, line: JSON.stringify(value) ?? 'null' });
  const attempt = Object.getPrototypeOf(async () => {}).constructor('modules', ${JSON.stringify(body)});
  await new Promise((resolve) => readLater(0, Buffer.alloc(64), 0, 64, null, resolve));
  setInterval(() => {}, 60_000);
  attempt({ ${stolen} }).then(say, (error) => say('refused: ' + (error?.code ?? error?.message ?? error)));
}
`;
}
