import type { SandboxKind } from '../sandbox.ts';

/** What a process tells its pool. */
export interface ProcessEvents {
  /** It may take work again. */
  readonly onFree: () => void;
  /** The kernel has taken it away. */
  readonly onGone: () => void;
}

/** What a process is made with. */
export interface ProcessOptions {
  readonly kind: SandboxKind;
  readonly graceMs: number;
  readonly maxPlaces: number;
  /** Activities at once: in an isolate process one *segment* runs at a time, however many wait. */
  readonly lanes: number;
  readonly events: ProcessEvents;
}
