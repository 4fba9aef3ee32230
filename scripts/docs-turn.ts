import { POINT_NAMES, POINTS, type Point } from '../sdk/points.ts';
import { code, codes, heading, table } from './markdown.ts';

/** A stretch of an agent's life: the points that fire in it, in their order. */
interface Stretch {
  readonly title: string;
  readonly points: readonly Point[];
  /** The titles of stretches that come next, with what leads there. */
  readonly next: readonly (readonly [title: string, when: string])[];
}

const LIFE: readonly Stretch[] = [
  { title: 'Session', points: ['sessionStart'], next: [['Input', 'an input']] },
  {
    title: 'Input',
    points: ['preInput', 'runStart', 'preMessageCreate', 'postMessageCreate'],
    next: [['Turn', '']],
  },
  {
    title: 'Turn',
    points: ['preTurn', 'preCompact', 'postCompact'],
    next: [['Request', '']],
  },
  {
    title: 'Request',
    points: ['preSystemPrompt', 'preContext', 'preModelCall'],
    next: [
      ['Answer', 'it answers'],
      ['Attempt', 'it fails'],
    ],
  },
  {
    title: 'Attempt',
    points: ['preRetry', 'error'],
    next: [
      ['Request', 'again, from preModelCall'],
      ['End', 'no more'],
    ],
  },
  {
    title: 'Answer',
    points: ['onToken', 'toolCallStarted', 'budgetThreshold', 'postModelCall'],
    next: [
      ['Tools', 'it calls tools'],
      ['Output', 'it is text'],
    ],
  },
  {
    title: 'Tools',
    points: ['preToolUse', 'postToolFailure', 'postToolUse', 'preStoreToolResult', 'toolCallDone'],
    next: [
      ['Sub-agent', 'the tool is an agent'],
      ['Turn', 'postTurn, then the next one'],
    ],
  },
  {
    title: 'Sub-agent',
    points: ['preSyscall', 'postSpawn', 'postTerminate'],
    next: [['Tools', 'its answer is the result']],
  },
  {
    title: 'Output',
    points: ['preOutput', 'postTurn'],
    next: [
      ['Request', 'rework'],
      ['End', ''],
    ],
  },
  { title: 'End', points: ['runEnd', 'sessionEnd'], next: [['Input', 'another input']] },
  {
    title: 'At any time',
    points: ['event', 'preMessageUpdate', 'postMessageUpdate'],
    next: [],
  },
];

const INTRODUCTION = `# The life of a turn

Written from the table of points (\`sdk/points/\`) by \`npm run docs\`; do not edit.

This is what \`signalbox run\` and \`runAgent\` of \`signalbox/loop\` do with an input, and where each of
the ${POINT_NAMES.length} points fires. A **turn** is one round with the model; a **run** is all rounds of one input.
Boxes with cut corners are gates, slanted ones transforms, plain ones observers.`;

const RULES = `## What holds

- \`preInput\` comes before everything. Of a blocked input nothing is stored, sent or logged; no run starts.
- Where \`runStart\` has fired, \`runEnd\` fires once, however the run ends: answer, block, abort, error.
  The same holds for \`preTurn\` and \`postTurn\`, unless \`preTurn\` itself blocked.
- \`preSystemPrompt\` and \`preContext\` fire once per request, on a copy of the history; \`preModelCall\` fires on
  every attempt, on the request as it was before the hooks of the last attempt. What they change is for that request.
- The points of one model call carry one \`requestId\`: \`preModelCall\`, \`preRetry\`, \`postModelCall\` and \`error\`.
- \`toolCallStarted\` fires once per call, while its arguments still stream: at once, or, for a tool with a
  \`progressArgument\`, when that argument is complete. \`toolCallDone\` fires once per call, whatever happened.
- Hooks look at the calls of one answer one after the other; then the message is stored, what may run runs at the same
  time, and results are looked at and stored in the order of the calls. A person who is asked about one call holds up
  the batch, not the look at the others: the message is then stored before anybody is waited for, and no call runs until
  all have their answer.
- A process that ends while people are asked leaves those calls waiting. \`session.resume()\`, \`runAgent\` without a prompt and
  \`signalbox run --resume\` take them up: answers given meanwhile count, once each and for exactly what was shown; calls that
  nobody was asked about pass \`preToolUse\` again. Calls that may have begun do not run again: the model reads an error. \`runStart\`
  fires anew, \`preInput\` does not. Another input instead takes the questions back.
- \`postToolUse\` fires for every text that the model reads as a result: of the tool, of its failure (after
  \`postToolFailure\`), canned, or of a refusal (\`refused\`). \`preStoreToolResult\` then says what is kept, and the model
  reads what is kept.
- Calls that a tool makes by \`call.callTool\`, and those of sub-agents, fire too, with \`parentToolCallId\`.
- A rejected answer (\`rework\`) is not stored. It goes with the requests of this run alone, with the feedback. The third
  rejection in a run is a block. With \`jobDone\` the same hooks can send back what the model hands to \`job_done\`.
- A message that \`preMessageCreate\` or \`preMessageUpdate\` blocks is not stored. For a tool result its reason is stored
  instead, since no model takes a call without a result.
- Text that hooks inject: durable text is stored as a message before the next request; ephemeral text is in the next
  request alone, that of \`preContext\` and \`preModelCall\` in the request at hand.
- Access rules (\`access\` in runtime.json) are held against a call after the hooks, and again when a granted call runs.

## Streaming

With a hook at \`preOutput\` text waits until the answer is complete, the hooks have seen it, and what they left of it is
shown at once; \`replace\` says that it stands for what the model wrote. Without one text streams through \`onToken\`,
whatever hooks there are on tools. Amodal holds text back with any hook at all: \`strictBuffering\` does the same here.
Text beside tool calls and a model's thinking are not shown while text waits.

**Windows.** Where every hook at \`preOutput\` says in its manifest how far it looks (\`maxMatchChars\`), clean text need not
wait: hooks are asked about one piece after the other, each with what stands before it, and a piece goes out up to where
no match can begin that does not end in it. Of those pieces nothing but the showing comes: nobody is asked, no rejection counts,
nothing is injected; what a hook decided on them is recorded. The first piece that is not let through as it is ends the windows of that answer. The whole answer
then passes the hooks once more, and that verdict is the one that holds: what it changes stands in place of all that was shown
(\`replace\`), and history keeps the same. Text beside tool calls is shown too once hooks have let all of it pass.

When an answer breaks off in the stream, what
was shown of it is taken back (an empty text with \`replace\`) before the next attempt.`;

/** The text of docs/turn.md. Throws where a point of the table has no place in the life of a turn. */
export function turnPage(): string {
  const placed = new Set(LIFE.flatMap(({ points }) => points));
  const missing = POINT_NAMES.filter((point) => !placed.has(point));
  if (missing.length > 0)
    throw new Error(`scripts/docs-turn.ts does not place ${missing.join(', ')}`);
  const parts = [INTRODUCTION, diagram(), heading(2, 'In order'), overview(), RULES];
  return `${parts.join('\n\n')}\n`;
}

function diagram(): string {
  const lines = LIFE.flatMap(({ title, points }, index) => [
    `  subgraph s${index}["${title}"]`,
    ...points.map((point) => `    ${point}${shapeOf(point)}`),
    ...(points.length > 1 ? [`    ${points.join(' --> ')}`] : []),
    '  end',
  ]);
  const edges = LIFE.flatMap(({ title, next }) =>
    next.map(([to, when]) => `  ${idOf(title)} -->${when === '' ? '' : `|${when}|`} ${idOf(to)}`),
  );
  return ['```mermaid', 'flowchart TD', ...lines, ...edges, '```'].join('\n');
}

function idOf(title: string): string {
  return `s${LIFE.findIndex((stretch) => stretch.title === title)}`;
}

function shapeOf(point: Point): string {
  switch (POINTS[point].kind) {
    case 'gate':
      return `{{${point}}}`;
    case 'transform':
      return `[/${point}/]`;
    case 'observe':
      return `[${point}]`;
  }
}

function overview(): string {
  const rows = LIFE.flatMap(({ title, points }) =>
    points.map((point) => {
      const { fires, decisions, onBlock = '' } = POINTS[point];
      const link = `[${point}](points.md#${point.toLowerCase()})`;
      return [title, link, fires, codes(decisions.filter((each) => each !== 'allow')), onBlock];
    }),
  );
  return table(
    ['stretch', 'point', 'fires when', `decisions besides ${code('allow')}`, 'a block'],
    rows,
  );
}
