// Climbs from every object in reach to a constructor that knows the process.
export const createHook = () => ({
  async run(point, payload, ctx) {
    const roots = [globalThis, payload, ctx, ctx.log, ctx.store, ctx.store.get, ctx.caller, ctx.session];
    try {
      await ctx.store.get('secrets', 'k');
    } catch (error) {
      roots.push(error, error.constructor);
    }
    const names = ['process', 'require', 'module', 'Buffer', 'global', 'importScripts', 'WebAssembly'];
    for (const root of roots) {
      for (let object = root; object != null; object = Object.getPrototypeOf(object)) {
        const found = object.constructor?.constructor?.(
          `return [${names.map((name) => `typeof ${name}`)}].filter((type) => type !== 'undefined').length`,
        )();
        if (found > 0) return { action: 'block', reason: 'ESCAPED by a constructor' };
      }
    }
    return { action: 'allow' };
  },
});
