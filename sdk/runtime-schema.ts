import type { ObjectSchema, Schema } from './json-schema.ts';
import { RUNTIME_LIMITS } from './limits.ts';
import { FAIL_POLICIES, MANIFEST_SCHEMA } from './manifest.ts';

const TEXT = { type: 'string', minLength: 1, maxLength: 4096 } as const;
const TEXTS = { type: 'array', items: TEXT, maxItems: 1000 } as const;
const NAMES = { ...TEXTS, uniqueItems: true } as const;

/** `signature`, `provenance`, `key:<id>` or `source:<repository>`. */
const REQUIREMENTS = {
  type: 'array',
  maxItems: 100,
  items: {
    type: 'string',
    maxLength: 1000,
    pattern: '^(?:signature|provenance|(?:key|source):\\S.*)$',
  },
} as const;
const TIMEOUT_MS = MANIFEST_SCHEMA.properties.timeoutMs;
const MEMORY_MB = MANIFEST_SCHEMA.properties.memoryMb;

/** The longest wait of a JavaScript timer; one that is longer would fire at once. */
export const MAX_TIMER_MS = 2_147_483_647;

const TIER = {
  description:
    'allow; confirm: a person is asked; review: the same, each time anew; never: the call is blocked. A call of a sub-agent is reviewed where others are confirmed',
  enum: ['allow', 'confirm', 'review', 'never'],
} as const;

const TOKEN_NAME = {
  name: { ...TEXT, maxLength: 64, description: 'Stands in records for who did something' },
  role: {
    description:
      'agent fires points and uses what was granted; operator also looks, tests and answers; admin also changes grants, modes and sessions',
    enum: ['agent', 'operator', 'admin'],
  },
} as const;

const TOKEN_SCHEMA = {
  anyOf: [
    {
      type: 'object',
      properties: {
        ...TOKEN_NAME,
        sha256: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'Digest of the token' },
      },
      required: ['name', 'role', 'sha256'],
      additionalProperties: false,
    },
    {
      type: 'object',
      properties: { ...TOKEN_NAME, env: { ...TEXT, description: 'Variable that holds the token' } },
      required: ['name', 'role', 'env'],
      additionalProperties: false,
    },
  ],
} as const;

const BUDGET = {
  type: 'object',
  properties: {
    period: {
      enum: ['day', 'month'],
      description: 'It starts anew with each, in UTC; without one it is for good',
    },
    max: { type: 'number', minimum: 0 },
    unit: { enum: ['tokens', 'money'], default: 'tokens' },
    warnAt: {
      description: 'The part of it at which budgetThreshold fires',
      type: 'number',
      minimum: 0,
      maximum: 1,
      default: 0.8,
    },
  },
  required: ['max'],
  additionalProperties: false,
} as const;

const SIDE = {
  type: 'object',
  properties: { prompt: { ...TEXT, description: 'The active prompt of this side' } },
  additionalProperties: false,
} as const;

const SUBAGENT = {
  type: 'object',
  properties: {
    agent: TEXT,
    as: { ...TEXT, description: 'Name of the relationship; that of the agent, if absent' },
    enabled: { type: 'boolean', default: true },
    hidden: { type: 'boolean', description: 'Not shown to the model' },
    optional: { type: 'boolean' },
  },
  required: ['agent'],
  additionalProperties: false,
} as const;

const REQUIREMENT = {
  type: 'object',
  properties: {
    hook: TEXT,
    stage: { enum: ['before_parent', 'after_parent'], default: 'after_parent' },
  },
  required: ['hook'],
  additionalProperties: false,
} as const;

/** An agent of runtime.json; other keys are those of its loop. */
export const AGENT_SCHEMA = {
  type: 'object',
  properties: {
    hooks: { ...NAMES, description: 'Hooks of its prompts that name none, and at rest' },
    prompt: { ...TEXT, description: 'The active prompt of every side' },
    sides: { type: 'object', properties: { a: SIDE, b: SIDE }, additionalProperties: false },
    prompts: {
      description: 'Prompts by name, with their hooks and their sub-agents in the order of tools',
      type: 'object',
      additionalProperties: {
        type: 'object',
        properties: { hooks: NAMES, subagents: { type: 'array', items: SUBAGENT } },
      },
    },
    requires: {
      description: 'Hooks that a parent must run for this agent',
      type: 'array',
      items: REQUIREMENT,
    },
    package: { ...TEXT, description: 'Package in which the names of its hooks are looked for' },
  },
} as const;

/** The JSON Schema of runtime.json. What it cannot say, such as a semver range, the reader of the file checks. */
export const RUNTIME_SCHEMA = {
  $id: 'https://signalbox.dev/schemas/runtime.json',
  title: 'runtime.json',
  description: 'What a Signalbox runtime loads and how it runs it',
  type: 'object',
  properties: {
    $schema: TEXT,
    packages: {
      description: 'Hook packages, in the order in which their hooks are registered',
      type: 'array',
      maxItems: 1000,
      items: {
        anyOf: [
          { ...TEXT, description: 'A package whose every hook is taken' },
          {
            type: 'object',
            properties: {
              package: {
                ...TEXT,
                description: 'A package name, folder, tarball, URL or git repository',
              },
              version: { ...TEXT, description: 'Semver range that the package must fit' },
              use: {
                ...TEXTS,
                description: 'hooks.<name>, hooks.* or !hooks.<name>; a later one wins',
              },
              as: {
                description: 'New names of hooks, by their own names',
                type: 'object',
                additionalProperties: TEXT,
              },
              grants: {
                ...NAMES,
                description: 'The capabilities granted; without this key nothing of it runs',
              },
              partial: {
                description: 'Whether its hooks run with fewer capabilities than they declare',
                type: 'boolean',
                default: false,
              },
            },
            required: ['package'],
            additionalProperties: false,
          },
        ],
      },
    },
    hooks: {
      type: 'object',
      properties: {
        order: { ...NAMES, description: 'Hooks that run first, in this order' },
        disabled: { ...NAMES, description: 'Hooks that are taken out' },
        required: { ...NAMES, description: 'Hooks without which the runtime does not start' },
        config: {
          description: 'Settings by hook; each key replaces that of the manifest',
          type: 'object',
          additionalProperties: { type: 'object' },
        },
        mode: {
          description: 'Whether what a hook decides is carried out or only recorded, by hook',
          type: 'object',
          additionalProperties: { enum: ['enforce', 'shadow'] },
        },
        failPolicy: {
          description: 'What a failure of a hook does, by hook',
          type: 'object',
          additionalProperties: { enum: FAIL_POLICIES },
        },
        overrides: {
          description: "Other settings by hook, over those of the hook's manifest",
          type: 'object',
          additionalProperties: {
            type: 'object',
            properties: {
              timeoutMs: TIMEOUT_MS,
              memoryMb: MEMORY_MB,
              failPolicy: { enum: FAIL_POLICIES },
              sandbox: { enum: ['isolate', 'worker'] },
              priority: { type: 'number' },
            },
            additionalProperties: false,
          },
        },
      },
      additionalProperties: false,
    },
    limits: {
      description: 'Limits of the runtime; null is none',
      type: 'object',
      properties: {
        loadMs: limit('loading a hook', RUNTIME_LIMITS.loadMs, { minimum: 1 }),
        graceMs: limit('a call that was told to stop', RUNTIME_LIMITS.graceMs),
        queueMs: limit('a call that waits for a sandbox', RUNTIME_LIMITS.queueMs),
        queueLength: limit('calls that wait, by hook', RUNTIME_LIMITS.queueLength),
        payloadBytes: limit('a payload as JSON', RUNTIME_LIMITS.payloadBytes, { minimum: 1 }),
        rssMb: limit('memory of a sandbox process', RUNTIME_LIMITS.rssMb, { minimum: 64 }),
        idleMs: limit('a sandbox process without calls', RUNTIME_LIMITS.idleMs),
        maxIsolates: {
          description: 'Sessions that one sandbox process serves at once',
          type: 'integer',
          minimum: 1,
          maximum: 1000,
          default: 16,
        },
        injectionChars: limit('one injected text', RUNTIME_LIMITS.injectionChars),
        injectionTokensPerTurn: limit(
          'injected text in one turn, at four characters a token',
          RUNTIME_LIMITS.injectionTokensPerTurn,
        ),
      },
      additionalProperties: false,
    },
    store: {
      description: 'Rows that hooks read and write',
      type: 'object',
      properties: {
        file: { ...TEXT, default: '.signalbox/store.db', description: 'SQLite file' },
        indexes: {
          description: 'Fields to index, by collection',
          type: 'object',
          additionalProperties: NAMES,
        },
      },
      additionalProperties: false,
    },
    records: {
      description: 'What is kept of decisions and failures',
      type: 'object',
      properties: {
        file: { ...TEXT, default: '.signalbox/records.db', description: 'SQLite file' },
        reasons: {
          description: 'How reasons and log lines are kept',
          enum: ['full', 'scrubbed', 'none'],
          default: 'scrubbed',
        },
        retentionDays: limit('the age of a record', null, { minimum: 1, maximum: 36_500 }),
        maxRows: limit('the number of records', null, { minimum: 1 }),
        payloads: {
          description: 'Keeps what hooks that decided were given, encrypted; without it nothing is',
          type: 'object',
          properties: {
            retentionDays: {
              description: 'Age at which they are deleted',
              type: 'integer',
              minimum: 1,
              maximum: 36_500,
            },
            key: {
              description: 'Where the key is: 32 bytes in base64 or hex',
              type: 'object',
              properties: { env: { ...TEXT, description: 'Name of an environment variable' } },
              required: ['env'],
              additionalProperties: false,
            },
          },
          required: ['retentionDays', 'key'],
          additionalProperties: false,
        },
      },
      additionalProperties: false,
    },
    server: {
      description: 'The HTTP server',
      type: 'object',
      properties: {
        host: { ...TEXT, default: '127.0.0.1' },
        port: { type: 'integer', minimum: 0, maximum: 65_535, default: 4747 },
        token: { ...TEXT, description: 'Bearer token; needed beyond this machine' },
        tokens: {
          description: 'Bearer tokens with roles, by their digest or by the variable they are in',
          type: 'array',
          maxItems: 100,
          items: TOKEN_SCHEMA,
        },
        requestsPerMinute: limit('requests of one caller but fires', 6000, { minimum: 1 }),
        firesPerMinute: limit('fires of one caller', null, { minimum: 1 }),
      },
      additionalProperties: false,
    },
    fetch: {
      description: 'What ctx.fetch reaches beyond public addresses at the usual ports',
      type: 'object',
      properties: {
        ports: { ...NAMES, description: 'host:port that are open besides 80 and 443' },
        private: { ...NAMES, description: 'Hosts that may be in your own networks' },
      },
      additionalProperties: false,
    },
    secrets: {
      description: 'Where ctx.secret finds values besides SIGNALBOX_SECRET_<NAME>',
      type: 'object',
      properties: {
        folder: { ...TEXT, description: 'Folder with one file for each secret' },
      },
      additionalProperties: false,
    },
    approvals: {
      description: 'Who decides what hooks ask',
      type: 'object',
      properties: {
        enabled: {
          description:
            'Whether what hooks ask waits for "signalbox approvals" or the API; otherwise it is a block',
          type: 'boolean',
          default: false,
        },
      },
      additionalProperties: false,
    },
    access: {
      description: 'Rules on tools that hold after the hooks, on the call as they left it',
      type: 'object',
      properties: {
        rules: {
          description: 'The first that names the tool decides',
          type: 'array',
          maxItems: 1000,
          items: {
            type: 'object',
            properties: {
              tool: { ...TEXT, description: 'The exact name of a tool' },
              glob: { ...TEXT, description: 'A pattern: * is any text, ? any character' },
              tier: TIER,
            },
            required: ['tier'],
            additionalProperties: false,
          },
        },
        default: { ...TIER, default: 'allow', description: 'What holds for other tools' },
      },
      additionalProperties: false,
    },
    agents: {
      description: 'Agents by name, and in Standard Agents their hooks, prompts and sub-agents',
      type: 'object',
      additionalProperties: AGENT_SCHEMA,
    },
    budgets: {
      description: 'What the agent loop may spend; a model request over it is not made',
      type: 'object',
      properties: {
        session: BUDGET,
        user: { ...BUDGET, description: 'Of each user without an entry in users' },
        group: { ...BUDGET, description: 'Of each organisation without an entry in groups' },
        users: { type: 'object', additionalProperties: BUDGET },
        groups: { type: 'object', additionalProperties: BUDGET },
        prices: {
          description: 'Money per million tokens, by model',
          type: 'object',
          additionalProperties: {
            type: 'object',
            properties: {
              input: { type: 'number', minimum: 0 },
              output: { type: 'number', minimum: 0 },
            },
            required: ['input', 'output'],
            additionalProperties: false,
          },
        },
      },
      additionalProperties: false,
    },
    telemetry: {
      description: 'Spans of OpenTelemetry for fires and hooks; without it nothing is loaded',
      type: 'object',
      properties: {
        traces: {
          type: 'boolean',
          description: 'Absent, where an endpoint is named here or in OTEL_EXPORTER_OTLP_ENDPOINT',
        },
        endpoint: { ...TEXT, description: 'Base URL of a receiver of OTLP over HTTP' },
        ratio: {
          description: 'Share of the traces that begin here that is kept',
          type: 'number',
          minimum: 0,
          maximum: 1,
          default: 1,
        },
      },
      additionalProperties: false,
    },
    trust: {
      description: 'Whose packages may run; a block always wins',
      type: 'object',
      properties: {
        scopes: { ...NAMES, description: 'Scopes such as @acme, or whole names; else any' },
        allOf: { ...REQUIREMENTS, description: 'What every fetched package must have' },
        anyOf: { ...REQUIREMENTS, description: 'Of which a fetched package must have one' },
        block: {
          description: 'Packages that must not run',
          type: 'array',
          maxItems: 10_000,
          items: {
            type: 'object',
            properties: {
              package: TEXT,
              version: { ...TEXT, description: 'Semver range; else every version' },
              hash: { ...TEXT, description: 'Integrity of an archive or SHA-256 of a bundle' },
              reason: TEXT,
            },
            required: ['reason'],
            additionalProperties: false,
          },
        },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
} as const satisfies ObjectSchema;

/** A limit that `null` lifts. */
function limit(
  of: string,
  value: number | null,
  bounds: Pick<Schema, 'minimum' | 'maximum'> = {},
): Schema {
  const number: Schema = { type: 'integer', minimum: 0, maximum: MAX_TIMER_MS, ...bounds };
  return { description: `Limit of ${of}`, anyOf: [number, { type: 'null' }], default: value };
}
