// A reason of 256 million letters that is cheap until somebody flattens it.
export const createHook = () => ({
  run(point, payload, ctx) {
    let reason = 'x';
    for (let at = 0; at < 28; at += 1) reason += reason;
    return { action: 'block', reason };
  },
});
