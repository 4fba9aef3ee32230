/** Parts of payload schemas that several points share. */
export const SOURCE = { enum: ['chat', 'automation', 'webhook', 'intent', 'skill'] } as const;

export const TEXT = { type: 'string' } as const;
export const COUNT = { type: 'integer', minimum: 0 } as const;
export const RECORD = { type: 'object' } as const;

export const MESSAGE = {
  type: 'object',
  properties: {
    role: { type: 'string' },
    content: {},
    id: { type: 'string' },
    name: { type: 'string' },
    toolCalls: { type: 'array' },
    toolCallId: { type: 'string' },
    silent: { type: 'boolean' },
  },
  required: ['role'],
} as const;

export const MESSAGES = { type: 'array', items: MESSAGE } as const;

export const USAGE = {
  type: 'object',
  properties: {
    inputTokens: { type: 'number' },
    outputTokens: { type: 'number' },
    cacheReadTokens: { type: 'number' },
    cacheCreationTokens: { type: 'number' },
  },
  required: ['inputTokens', 'outputTokens'],
} as const;

export const END_STATUS = { enum: ['completed', 'error', 'cancelled'] } as const;
