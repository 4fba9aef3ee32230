import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { adaptSignalbox } from '../../sdk/contracts/signalbox.ts';
import type { Manifest } from '../../sdk/manifest.ts';
import { createFakeStore } from './fake-store.ts';
import type { Fixture } from './fixtures.ts';

/** What the process is told through its standard input. */
interface Task {
  readonly handler: string;
  readonly manifest: Manifest;
  readonly fixtures: readonly (Fixture & { readonly file: string })[];
}

// Entry of a process without a sandbox that a debugger attaches to. Nothing but `signalbox dev --inspect` starts it.
const { handler, manifest, fixtures } = JSON.parse(await text(process.stdin)) as Task;
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const namespace = (await import(pathToFileURL(handler).href)) as object;
const hook = await adaptSignalbox(namespace, manifest.config ?? {});
if (typeof hook === 'string') {
  say(hook);
  process.exitCode = 1;
} else {
  const store = createFakeStore().port;
  for (const { file, point, payload, context = {} } of fixtures) {
    const ctx = {
      hook: manifest.name,
      point,
      log: (...parts: unknown[]) => say(`log ${parts.map(String).join(' ')}`),
      store,
      caller: { source: 'chat', ...context.caller },
      session: { id: context.sessionId ?? 'inspected', turn: context.turnId },
      agent: { id: 'main', depth: 0, tools: [], ...context.agent },
      inputs: {},
    };
    // Put a breakpoint into your hook, or step into this call.
    const answer: unknown = await hook.run(point, payload, Object.freeze(ctx));
    say(`${file}: ${JSON.stringify(answer)}`);
  }
}
