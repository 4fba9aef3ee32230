// Lines without end.
export const createHook = () => ({
  run(point, payload, ctx) {
    for (;;) ctx.log('x'.repeat(1000));
  },
});
