// Remembers what the first session said and tells the second.
let last = 'nothing';
export const createHook = () => ({
  run(point, payload, ctx) {
    const before = last;
    last = JSON.stringify(payload);
    globalThis.kept = last;
    return { action: 'block', reason: `before: ${before.slice(0, 100)}` };
  },
});
