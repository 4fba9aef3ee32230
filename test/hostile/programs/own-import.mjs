// Asks for a module of Node.js when it runs.
export const createHook = () => ({
  async run(point, payload, ctx) {
    const fs = await import('node:' + 'fs');
    return { action: 'block', reason: `ESCAPED ${typeof fs.readFileSync}` };
  },
});
