// Throws a value whose every trap loops: whoever describes it is caught.
export const createHook = () => ({
  run(point, payload, ctx) {
    const spin = () => {
      for (;;);
    };
    throw new Proxy({}, { get: spin, has: spin, getPrototypeOf: spin, ownKeys: spin });
  },
});
