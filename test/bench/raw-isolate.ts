import ivm from 'isolated-vm';
import { timed } from './harness.ts';

// A hook in an isolate of this very process, run with the asynchronous apply of isolated-vm; started by rivals.ts.
const isolate = new ivm.Isolate({ memoryLimit: 32 });
const context = isolate.createContextSync();
const hook = isolate
  .compileScriptSync(
    `(text) => {
      const { payload } = JSON.parse(text);
      const isBad = String(payload.args?.command ?? '').includes('mkfs');
      return JSON.stringify(isBad ? { action: 'block', reason: 'no' } : { action: 'allow' });
    }`,
  )
  .runSync(context, { reference: true });

process.on('message', ({ input, calls }: { readonly input: string; readonly calls: number }) => {
  const subject = timed('', () => hook.apply(undefined, [input]));
  void subject.sample(calls).then((times) => process.send?.(times));
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
