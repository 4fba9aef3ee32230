import { allow, defineHook } from '@signalbox/sdk';

export function createHook() {
  return defineHook({
    points: ['postTurn', 'runEnd'],
    capabilities: ['reads_output', 'store:write:audit'],
    async run(point, payload, ctx) {
      const who = {
        user: ctx.caller.userId ?? null,
        agent: ctx.agent.id,
        at: payload.timestamp ?? null,
      };
      if (point === 'postTurn') {
        const { turn, input, output, usage } = payload;
        const sizes = { inputChars: input.length, outputChars: output.length };
        const tokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
        const key = `${ctx.session.id.slice(0, 128)}:turn:${turn}`;
        await ctx.store.put('audit', key, { kind: 'turn', turn, ...who, ...sizes, tokens });
      } else {
        const { status, response } = payload;
        const key = `${ctx.session.id.slice(0, 128)}:run:${ctx.session.turn?.slice(0, 64) ?? 'last'}`;
        await ctx.store.put('audit', key, {
          kind: 'run',
          status: status ?? null,
          ...who,
          outputChars: response.length,
        });
      }
      return allow();
    },
  });
}
