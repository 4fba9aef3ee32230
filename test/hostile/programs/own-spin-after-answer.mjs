// Answers, then loops in a microtask of the same turn.
export const createHook = () => ({
  async run(point, payload, ctx) {
    const spin = () => {
      for (;;);
    };
    queueMicrotask(() => Promise.resolve().then(() => Promise.resolve().then(spin)));
    return { action: 'allow' };
  },
});
