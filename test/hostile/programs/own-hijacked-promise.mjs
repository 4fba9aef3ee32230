// Replaces what the bridge might use to answer, and looks at what comes by.
const seen = [];
for (const name of ['then', 'catch', 'finally']) {
  const own = Promise.prototype[name];
  Promise.prototype[name] = function hijacked(...args) {
    seen.push(this, ...args);
    return own.apply(this, args);
  };
}
for (const name of ['call', 'apply', 'bind']) {
  const own = Function.prototype[name];
  Function.prototype[name] = function hijacked(...args) {
    if (typeof seen === 'object') seen[seen.length] = this;
    return Reflect.apply(own, this, args);
  };
}
export const createHook = () => ({
  async run(point, payload, ctx) {
    await ctx.store.get('profile', 'u1');
    for (const value of seen) {
      const root = value?.constructor?.constructor?.('return typeof process')();
      if (root === 'object') return { action: 'block', reason: 'ESCAPED by what came by' };
    }
    return { action: 'allow' };
  },
});
