/** Limits of a hook's run. Milliseconds, bytes (UTF-8) or counts, as the name says. */
export const LIMITS = {
  timeoutMs: 1500,
  memoryMb: 32,
  maxTimeoutMs: 60_000,
  maxMemoryMb: 512,
  maxMatchChars: 4096,
  answerBytes: 4 * 1024 * 1024,
  reasonBytes: 2048,
  logLineBytes: 2048,
  logLines: 200,
  storeCalls: 64,
  storeKeyBytes: 256,
  storeValueBytes: 1024 * 1024,
  filterBytes: 4096,
  fetchCalls: 16,
  fetchHeaderBytes: 16_384,
  fetchBodyBytes: 1024 * 1024,
  fetchResponseBytes: 1024 * 1024,
  secretCalls: 64,
  llmCalls: 4,
  llmPromptBytes: 65_536,
  llmAnswerBytes: 65_536,
  emitCalls: 16,
  eventBytes: 65_536,
  timers: 64,
  entropyBytes: 65_536,
  sourceBytes: 4 * 1024 * 1024,
  nesting: 256,
  /** Handlers that one module may register, and the text that reports them. */
  handlers: 128,
  handlersChars: 65_536,
} as const;

/** The defaults of `limits` in runtime.json. */
export const RUNTIME_LIMITS = {
  loadMs: 2000,
  graceMs: 50,
  queueMs: 1500,
  queueLength: 1000,
  payloadBytes: 4 * 1024 * 1024,
  rssMb: null,
  idleMs: 300_000,
  injectionChars: 10_240,
  injectionTokensPerTurn: 10_000,
} as const;

/** What a hook gets when its manifest names no priority. Lower runs earlier. */
export const DEFAULT_PRIORITY = 0;
