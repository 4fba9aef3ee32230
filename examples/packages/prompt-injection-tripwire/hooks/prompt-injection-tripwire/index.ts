import { allow, ask, block, defineHook, fold, mapStrings } from '@signalbox/sdk';

interface Config {
  /** What becomes of a result that trips a wire; `warn` only tells the person in front of the agent. */
  readonly action?: 'ask' | 'block' | 'warn';
  /** Phrases besides those that are known. */
  readonly phrases?: readonly string[];
}

/** Ways to speak to a model from inside of data. On folded, lower-case text with single spaces. */
const WIRES: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|all|your|system)\b.{0,30}\b(?:instructions?|prompts?|rules?|directions|guidelines)\b/,
  /\bnew (?:system )?(?:instructions?|prompt) ?:/,
  /\byou are (?:now|no longer)\b.{0,60}\b(?:assistant|ai|model|agent|dan|bound|restricted)\b/,
  /\b(?:reveal|print|repeat|output|show)\b.{0,30}\b(?:your|the) (?:system prompt|hidden instructions|initial instructions)\b/,
  /\bdo not (?:tell|inform|mention|alert)\b.{0,30}\b(?:user|human|operator)\b/,
  /<\/?(?:system|assistant|tool_result|instructions)>|\[\/?(?:system|inst)\]|<\|(?:im_start|im_end|system|endoftext)\|>/,
  /\b(?:send|post|upload|forward|exfiltrate|email)\b.{0,60}\b(?:api keys?|passwords?|credentials?|secrets?|conversation|chat history)\b.{0,60}(?:https?:|\bto\b)/,
];

export function createHook({ action = 'ask', phrases = [] }: Config = {}) {
  const own = phrases.map(plain).filter((phrase) => phrase !== '');
  return defineHook({
    points: ['postToolUse'],
    capabilities: ['reads_tool_io', 'gates_tools'],
    run(_point, { result }, ctx) {
      let isTripped = false;
      mapStrings(result, (text) => {
        const folded = plain(text);
        isTripped ||=
          WIRES.some((wire) => wire.test(folded)) || own.some((phrase) => folded.includes(phrase));
        return text;
      });
      if (!isTripped) return allow();
      ctx.log('tripped');
      const reason = 'The result of the tool speaks to the model as if it were an instruction';
      if (action === 'block') return block(reason);
      if (action === 'ask') return ask(reason, { prompt: 'Show this result to the model?' });
      return { ...allow(), notice: { text: reason, level: 'warning' } };
    },
  });
}

/** Folded against look-alikes and invisible characters, in lower case, with single spaces. */
function plain(text: string): string {
  return fold(text).text.toLowerCase().replace(/\s+/g, ' ');
}
