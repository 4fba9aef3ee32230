// An open observer: it may fail without anything being stopped, and it can only allow.

/** @import { Hook } from '@signalbox/sdk' */

/** @type {Hook<'postTurn' | 'runEnd'>} */
export default {
  points: ['postTurn', 'runEnd'],
  run(point, payload, ctx) {
    if (point === 'postTurn') {
      const { turn, input, output } = payload;
      ctx.log(`turn ${turn}: ${input.length} characters in, ${output.length} out`);
    } else {
      ctx.log(`run ${payload.status}: ${payload.response.length} characters in the answer`);
    }
    return { action: 'allow' };
  },
};
