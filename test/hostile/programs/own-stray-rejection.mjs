// A rejection that nobody handles, beside an answer.
export const createHook = () => ({
  async run(point, payload, ctx) {
    void Promise.reject(new Error('nobody looks'));
    return { action: 'allow' };
  },
});
