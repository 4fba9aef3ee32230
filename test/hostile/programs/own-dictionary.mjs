// A dictionary of a million names: the engine aborts its whole process.
export const createHook = () => ({
  run(point, payload, ctx) {
    const names = {};
    for (let at = 0; ; at += 1) names[`name ${at}`] = at;
  },
});
