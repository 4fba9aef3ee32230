import { allow, ask, block, defineHook } from '@signalbox/sdk';

interface Cap {
  /** The argument that holds the money. */
  readonly field: string;
  readonly askAbove: number;
  readonly blockAbove: number;
}

interface Config {
  /** By tool. */
  readonly tools: Readonly<Record<string, Cap>>;
  /** What all tools together may spend in a session. */
  readonly sessionMax: number;
  /** No guarded tool runs once the budget of the run has no more than this left. */
  readonly tokensLeft?: number;
}

export function createHook({ tools, sessionMax, tokensLeft = 0 }: Config) {
  const caps = new Map(Object.entries(tools));
  return defineHook({
    points: ['preToolUse', 'postToolUse'],
    capabilities: ['reads_tool_io', 'gates_tools', 'store:read:spend', 'store:write:spend'],
    async run(point, payload, ctx) {
      const cap = caps.get(payload.toolName);
      if (cap === undefined) return allow();
      const amount = amountIn(payload.args, cap.field);
      const spent = totalOf(await ctx.store.get('spend', ctx.session.id));
      if (point === 'postToolUse') {
        const isSpent = !payload.isError && payload.refused !== true && amount !== undefined;
        if (isSpent) await ctx.store.put('spend', ctx.session.id, { total: spent + amount });
        return allow();
      }
      if (amount === undefined) return block('The amount must be a number above zero');
      if (amount > cap.blockAbove) return block(`One call may spend ${cap.blockAbove} at most`);
      if (spent + amount > sessionMax) return block(`A session may spend ${sessionMax} at most`);
      if (ctx.budget !== undefined && ctx.budget.remaining <= tokensLeft) {
        return block('The budget of this run is used up');
      }
      return amount > cap.askAbove ? ask(`A person decides above ${cap.askAbove}`) : allow();
    },
  });
}

function amountIn(args: Readonly<Record<string, unknown>>, field: string): number | undefined {
  const value = args[field];
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : undefined;
}

function totalOf(row: unknown): number {
  const { total } = (row ?? {}) as { readonly total?: unknown };
  return typeof total === 'number' ? total : 0;
}
