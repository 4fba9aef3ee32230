// Throws what the engine says when memory is out.
export const createHook = () => ({
  run(point, payload, ctx) {
    throw new RangeError('Isolate was disposed during execution due to memory limit');
  },
});
