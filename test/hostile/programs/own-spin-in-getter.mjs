// The answer looks right until it is read.
export const createHook = () => ({
  run(point, payload, ctx) {
    return {
      get action() {
        for (;;);
      },
    };
  },
});
