// Asks the frames of its own stack where they are and who they are.
export const createHook = () => ({
  run(point, payload, ctx) {
    const found = [];
    Error.prepareStackTrace = (_error, sites) => {
      for (const site of sites) {
        found.push(String(site.getFileName?.()), String(site.getEvalOrigin?.()));
        const self = site.getThis?.() ?? site.getFunction?.();
        if (self != null && typeof self.process === 'object') found.push('/process');
      }
      return '';
    };
    void new Error('look').stack;
    const isLeaking = found.some((name) => /^(\/|file:|node:|[A-Z]:)/.test(name));
    return isLeaking ? { action: 'block', reason: `ESCAPED ${found.join()}` } : { action: 'allow' };
  },
});
