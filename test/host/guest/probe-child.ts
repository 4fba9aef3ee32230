import { randomBytes } from 'node:crypto';
import ivm from 'isolated-vm';

/** One program for a fresh isolate; `isBare` leaves the globals as V8 makes them. */
export interface Program {
  readonly id: number;
  readonly prelude: string;
  readonly source: string;
  readonly isBare: boolean;
}

/** What the program returned, as JSON text, and the lines that it logged. */
export interface Report {
  readonly id: number;
  readonly text: string;
  readonly lines: readonly string[];
  readonly timersSet: number;
}

const SYNC = { sync: true } as const;

process.on('message', (program: Program) => {
  run(program).then(
    (report) => process.send?.(report),
    (error: unknown) =>
      process.send?.({
        id: program.id,
        text: `["child", ${JSON.stringify(String(error))}]`,
        lines: [],
        timersSet: 0,
      }),
  );
});

/** Runs the source as the body of an async function, and waits for what it returns. */
async function run(program: Program): Promise<Report> {
  const isolate = new ivm.Isolate({ memoryLimit: 64 });
  const context = isolate.createContextSync();
  const lines: string[] = [];
  const running = new Map<number, NodeJS.Timeout>();
  let timersSet = 0;
  let fire: ivm.Reference<(id: number) => void> | undefined;
  try {
    if (!program.isBare) {
      const script = isolate.compileScriptSync(program.prelude, { filename: 'signalbox:prelude' });
      const boot = script.runSync(context, { reference: true }) as ivm.Reference<
        (...lent: unknown[]) => unknown
      >;
      fire = boot.applySync(
        undefined,
        [
          new ivm.Callback((line: string) => void lines.push(line), SYNC),
          new ivm.Callback((ms: number, repeat: boolean) => {
            timersSet += 1;
            const id = timersSet;
            const due = (): void => {
              try {
                fire?.applySync(undefined, [id]);
              } catch (error) {
                lines.push(`unhandled: ${String(error)}`);
              }
            };
            running.set(id, repeat ? setInterval(due, ms) : setTimeout(due, ms));
            return id;
          }, SYNC),
          new ivm.Callback((id: number) => clearTimeout(running.get(id)), SYNC),
          new ivm.Callback((bytes: number) => randomBytes(bytes).toString('hex'), SYNC),
        ],
        { result: { reference: true } },
      ) as ivm.Reference<(id: number) => void>;
    }
    const answered = Promise.withResolvers<string>();
    const answer = new ivm.Callback((text: string) => answered.resolve(text), SYNC);
    const body = `const answer = $0, stringify = JSON.stringify;
      (async () => {
        let text;
        try { text = stringify(['value', await (async () => { ${program.source} })()]); }
        catch (error) { text = stringify(['error', error.name, error.message]); }
        answer(text);
      })();`;
    try {
      context.evalClosureSync(body, [answer], { filename: 'probe' });
    } catch (error) {
      lines.push(`unhandled: ${String(error)}`);
    }
    const text = await answered.promise;
    return { id: program.id, text, lines, timersSet };
  } finally {
    for (const timer of running.values()) clearTimeout(timer);
    isolate.dispose();
  }
}
