import type { PointRow } from './row.ts';
import { SOURCE, TEXT } from './schemas.ts';

/** Points of what comes in from the user and goes out to the user. */
export const INPUT_OUTPUT_POINTS = {
  preInput: {
    fires: "the user's text was received, before anything else sees it",
    kind: 'gate',
    decisions: ['allow', 'block', 'ask', 'modify', 'result'],
    payload: {
      type: 'object',
      properties: {
        text: TEXT,
        source: { ...SOURCE, default: 'chat' },
        attachments: { type: 'array' },
      },
      required: ['text', 'source'],
    },
    writable: ['text', 'attachments'],
    content: ['text', 'attachments'],
    reads: 'reads_input',
    gates: 'gates_input',
    failPolicy: 'closed',
    closedFailure: 'block',
    onBlock: 'the turn ends before the model and the reason goes to the user',
    names: { amplifier: ['prompt:submit'], agentOs: ['before_user_message'] },
  },
  onToken: {
    fires: 'a piece of the answer is about to be streamed to the client',
    kind: 'transform',
    decisions: ['allow', 'modify', 'suppress'],
    payload: {
      type: 'object',
      properties: {
        text: TEXT,
        finalAnswer: { type: 'boolean', default: true },
        kind: { enum: ['text', 'thinking'], default: 'text' },
      },
      required: ['text', 'finalAnswer', 'kind'],
    },
    writable: ['text'],
    content: ['text'],
    reads: 'reads_output',
    gates: 'gates_output',
    failPolicy: 'closed',
    closedFailure: 'suppress',
    names: {
      amplifier: ['content_block:delta', 'thinking:delta'],
      agentOs: ['on_token'],
    },
  },
  preOutput: {
    fires: 'the answer is complete and buffered, before it is sent and kept',
    kind: 'gate',
    decisions: ['allow', 'block', 'ask', 'modify', 'rework', 'suppress'],
    payload: {
      type: 'object',
      properties: {
        text: TEXT,
        channels: { type: 'array', items: TEXT, default: ['chat'] },
        question: TEXT,
        viaJobDone: { type: 'boolean' },
      },
      required: ['text', 'channels'],
    },
    writable: ['text'],
    content: ['text', 'question'],
    reads: 'reads_output',
    gates: 'gates_output',
    failPolicy: 'closed',
    closedFailure: 'block',
    onBlock: 'the reason replaces the text and is what history keeps',
    names: { agentOs: ['after_assistant_message'] },
  },
} as const satisfies Record<string, PointRow>;
