import { chargeRequest } from '../model/budget-points.ts';
import type { Message, StoredMessage } from './message.ts';
import { ModelFailure } from '../model/model.ts';
import type { Run } from '../run-state.ts';

const CHARS_PER_TOKEN = 4;

const INSTRUCTION =
  'Summarise the conversation so far for your own use: goals, facts, decisions, open points. Write the summary alone.';

/** Replaces old messages by a summary when the history is longer than it may be. */
export async function compactIfNeeded(run: Run): Promise<void> {
  const { compaction } = run.options;
  if (compaction === undefined) return;
  const messages = run.history.messages();
  if (sizeOf(messages) <= compaction.maxTokens) return;
  const old = messages.slice(0, cutAt(messages, compaction.keepMessages));
  if (old.length > 0) await compact(run, old);
}

async function compact(run: Run, old: readonly StoredMessage[]): Promise<void> {
  const { scene, history, signal } = run;
  const isSummary = ({ metadata }: StoredMessage): boolean => metadata?.source === 'summary';
  const current = old.find(isSummary)?.content ?? '';
  const evicted = old.filter((message) => !isSummary(message));
  if (evicted.length === 0) return;
  const outcome = await scene.fire(
    'preCompact',
    { evicted: evicted.map((message) => ({ ...message })) as never, summary: current },
    { signal },
  );
  if (outcome.action === 'block') return;
  const gone = wholeCalls(evicted, outcome.payload.evicted);
  if (gone.length === 0) return;
  const own = outcome.payload.summary;
  // A hook's own summary needs no model.
  const summary = own === current ? await summarise(run, current, gone) : own;
  // Without one everything stays: a long history is better than a lost one.
  if (summary === undefined) return;
  const ids = [...old.filter(isSummary), ...gone].map(({ id }) => id);
  const stored = await history.replaceBySummary(ids, {
    role: 'system',
    content: summary,
    metadata: { source: 'summary', timestamp: new Date().toISOString() },
  });
  if (stored.ok) await scene.fire('postCompact', { summary, removed: gone.length });
}

/** A request of the loop's own: it fires no hooks, as the one it serves has. */
async function summarise(
  run: Run,
  current: string,
  gone: readonly StoredMessage[],
): Promise<string | undefined> {
  const { options, signal } = run;
  const before: Message[] = current === '' ? [] : [{ role: 'system', content: current }];
  const text = gone.map(({ role, content }) => `${role}: ${content}`).join('\n');
  const messages = [...before, { role: 'user', content: `${INSTRUCTION}\n\n${text}` }];
  const request = { model: options.model.name, systemPrompt: '', messages, tools: [] };
  try {
    const answer = await options.model.complete(request, { signal });
    await chargeRequest(run, request, answer);
    return answer.text === '' ? undefined : answer.text;
  } catch (error) {
    if (error instanceof ModelFailure) return undefined;
    throw error;
  }
}

/** Where the kept end begins: never between a call and its result. */
function cutAt(messages: readonly StoredMessage[], keep: number): number {
  let at = Math.max(0, messages.length - Math.max(1, keep));
  while (at > 0 && messages[at]?.role === 'tool') at -= 1;
  return at;
}

/** Those that hooks let go, as far as no call is parted from its result. */
function wholeCalls(
  evicted: readonly StoredMessage[],
  left: readonly Message[],
): readonly StoredMessage[] {
  const ids = new Set(left.map(({ id }) => id));
  const groups: StoredMessage[][] = [];
  for (const message of evicted) {
    if (message.role === 'tool') groups.at(-1)?.push(message);
    else groups.push([message]);
  }
  return groups.filter((group) => group.every(({ id }) => ids.has(id))).flat();
}

function sizeOf(messages: readonly StoredMessage[]): number {
  const chars = messages.reduce((sum, message) => sum + JSON.stringify(message).length, 0);
  return chars / CHARS_PER_TOKEN;
}
