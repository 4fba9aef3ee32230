// One call of a builtin that moves 2**53 slots and never looks for an interrupt.
export const createHook = () => ({
  run(point, payload, ctx) {
    Array.prototype.copyWithin.call({ length: 2 ** 53 - 1 }, 1, 0);
    return { action: 'allow' };
  },
});
