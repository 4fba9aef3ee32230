// Types alone: a package brings no code of the sdk into its isolate.
import type { Decision, HookContext, HookStore, Payloads } from '@signalbox/sdk';

interface Limits {
  readonly askAbove: number;
  readonly blockAbove: number;
}

interface Config extends Limits {
  readonly tools: readonly string[];
}

type Context = Pick<HookContext, 'log'> & { readonly store?: Pick<HookStore, 'get'> };

/** Guards the amount of payments. A call without a positive amount is not one that it can judge. */
export function createHook(config: Config) {
  return {
    async run(
      _point: 'preToolUse',
      payload: Pick<Payloads['preToolUse'], 'toolName' | 'args'>,
      ctx: Context,
    ): Promise<Decision> {
      if (!config.tools.includes(payload.toolName)) return { action: 'allow' };
      const amount = payload.args['amount'];
      if (typeof amount !== 'number' || !(amount > 0)) {
        return { action: 'block', reason: 'A payment needs a positive amount' };
      }
      const { askAbove, blockAbove } = await limitsOf(payload.toolName, config, ctx);
      if (amount > blockAbove) {
        ctx.log(`above ${blockAbove}`);
        return {
          action: 'block',
          reason: `Payments above ${blockAbove} are not made by the agent`,
        };
      }
      if (amount > askAbove) {
        return {
          action: 'ask',
          reason: `Payments above ${askAbove} need a person`,
          prompt: 'Make this payment?',
        };
      }
      return { action: 'allow' };
    },
  };
}

/** The limits of a tool: those of its row in the store where it has one, else the configured ones. */
async function limitsOf(tool: string, config: Config, ctx: Context): Promise<Limits> {
  const row = (await ctx.store?.get('limits', tool)) as
    Partial<Record<keyof Limits, unknown>> | null | undefined;
  const limit = (name: keyof Limits): number => {
    const own = row?.[name];
    return typeof own === 'number' ? own : config[name];
  };
  return { askAbove: limit('askAbove'), blockAbove: limit('blockAbove') };
}
