// A payload that is a hundred thousand lists deep.
export const createHook = () => ({
  run(point, payload, ctx) {
    let args = [];
    for (let at = 0; at < 100_000; at += 1) args = [args];
    return { action: 'modify', payload: { args: { args } } };
  },
});
