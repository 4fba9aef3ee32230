import type ivm from 'isolated-vm';
import { encodeFrame, FrameReader } from '../../host/frames.ts';

// The floor: a child with the frames of the real one, and a raw applySync of a hook in an isolate, or in each of several.
// Nothing else. argv: the path of the addon, and how many isolates.
const HOOK = `(() => {
  const run = (point, payload) =>
    String(payload.args?.command ?? '').includes('mkfs') ? { action: 'block', reason: 'no' } : { action: 'allow' };
  return (text) => {
    const { point, payload, ctx } = JSON.parse(text);
    return JSON.stringify(run(point, payload, ctx));
  };
})()`;

const module = { exports: {} as { ivm: typeof ivm } };
process.dlopen(module, process.argv[2] ?? '');
const hooks = Array.from({ length: Number(process.argv[3] ?? 1) }, () => {
  const isolate = new module.exports.ivm.Isolate({ memoryLimit: 32 });
  const context = isolate.createContextSync();
  return isolate
    .compileScriptSync(HOOK)
    .runSync(context, { reference: true }) as unknown as ivm.Reference<(text: string) => string>;
});
const reader = new FrameReader(64 * 1024 * 1024);
process.stdin.on('data', (chunk: Buffer) => {
  reader.push(chunk, ({ id, text }) => {
    let answer = '';
    for (const hook of hooks) answer = hook.applySync(undefined, [text]);
    process.stdout.write(encodeFrame({ kind: 2, id, number: 0, text: answer }));
  });
});
process.stdin.on('end', () => process.exit(0));
process.stdout.write(encodeFrame({ kind: 1, id: 0, number: 0, text: '' }));
