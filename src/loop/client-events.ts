import type { ApprovalView } from '../approvals/approval.ts';

/** What the one in front of the agent is told while it works. */
export type ClientEvent =
  | {
      /** A hook changed the input: what was shown of it is to be replaced. */
      readonly type: 'input';
      readonly text: string;
    }
  | {
      readonly type: 'token';
      readonly text: string;
      readonly kind: 'text' | 'thinking';
      readonly finalAnswer: boolean;
      /** The text stands for all that was shown of this answer so far. */
      readonly replace: boolean;
    }
  | {
      readonly type: 'notice';
      readonly text: string;
      readonly level: 'info' | 'warning' | 'error';
      /** `hook:<name>`. */
      readonly source: string;
    }
  | {
      readonly type: 'toolCallStarted';
      readonly id: string;
      readonly name: string;
      readonly progress?: string;
    }
  | {
      readonly type: 'toolCallDone';
      readonly id: string;
      readonly name: string;
      readonly status: 'success' | 'error';
    }
  | { readonly type: 'approval'; readonly approval: ApprovalView }
  | { readonly type: 'retry'; readonly attempt: number; readonly delayMs: number }
  | {
      readonly type: 'subAgent';
      readonly id: string;
      readonly name: string;
      readonly isOver: boolean;
    };

/** Hears of {@link ClientEvent}s, in their order. */
export type OnEvent = (event: ClientEvent) => void;
