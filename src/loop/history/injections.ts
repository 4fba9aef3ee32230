import type { Point } from '../../../sdk/points.ts';
import type { Verdict } from '../../verdict.ts';
import { sanitised, type Message, type MessageDraft } from './message.ts';

type Injected = Verdict['inject'][number] & { readonly point: Point };

/** Text that hooks want the model to read, between the point that brought it and the request that takes it. */
export interface Injections {
  add(point: Point, inject: Verdict['inject']): void;
  /** What is to be kept, once. */
  takeDurable(): readonly MessageDraft[];
  /** The messages of one request with what it alone shall have, once. */
  applyEphemeral(messages: readonly Message[]): readonly Message[];
}

/** None yet. */
export function createInjections(): Injections {
  let durable: Injected[] = [];
  let ephemeral: Injected[] = [];
  return {
    add(point, inject) {
      for (const each of inject) {
        const content = sanitised(each.content);
        if (content === '') continue;
        (each.ephemeral ? ephemeral : durable).push({ ...each, content, point });
      }
    },
    takeDurable() {
      const taken = durable;
      durable = [];
      return taken.map(draftOf);
    },
    applyEphemeral(messages) {
      const taken = ephemeral;
      ephemeral = [];
      return taken.reduce<readonly Message[]>(withInjected, messages);
    },
  };
}

function withInjected(messages: readonly Message[], injected: Injected): readonly Message[] {
  const last = messages.at(-1);
  if (injected.appendToLastToolResult && last?.role === 'tool') {
    const content = `${textOf(last.content)}\n\n${injected.content}`;
    return [...messages.slice(0, -1), { ...last, content }];
  }
  return [...messages, draftOf(injected)];
}

function draftOf({ content, role, silent, hook, point }: Injected): MessageDraft {
  const timestamp = new Date().toISOString();
  const metadata = { source: 'hook' as const, hook, point, timestamp };
  return { role, content, ...(silent === true && { silent }), metadata };
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : JSON.stringify(content ?? '');
}
