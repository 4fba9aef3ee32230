import { SignalboxError } from '../../../sdk/errors.ts';
import { compileForeignSchema, type CompiledSchema } from '../../json-validator.ts';
import type { Caller } from '../../verdict.ts';
import type { ToolSpec } from '../model/model.ts';

/** What a running tool is told. */
export interface ToolRun {
  readonly toolCallId: string;
  readonly sessionId: string;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  /** Calls another tool through the same hooks, as a call of this one. */
  callTool(name: string, args: Readonly<Record<string, unknown>>): Promise<ToolReply>;
}

/** What a tool came to. */
export interface ToolReply {
  readonly content: unknown;
  readonly isError?: boolean;
  readonly attachments?: readonly unknown[];
}

/** Something that a model can call. */
export interface AgentTool extends ToolSpec {
  /** The argument whose value is told as soon as it is there, while the rest still streams. */
  readonly progressArgument?: string;
  /** A text or a JSON value; a throw is an error result. */
  run(args: Readonly<Record<string, unknown>>, run: ToolRun): unknown;
}

/** A value that a tool returns to say more than its result. */
export class ToolOutcome implements ToolReply {
  readonly content: unknown;
  readonly isError: boolean;
  readonly attachments: readonly unknown[];

  constructor({ content, isError = false, attachments = [] }: ToolReply) {
    this.content = content;
    this.isError = isError;
    this.attachments = attachments;
  }
}

/** The tools of an agent. */
export interface ToolBox {
  readonly specs: readonly ToolSpec[];
  readonly schemas: Readonly<Record<string, object>>;
  get(name: string): AgentTool | undefined;
  /** Why arguments do not fit the tool; `undefined` when they do. */
  misfit(tool: AgentTool, args: unknown): string | undefined;
}

/** Source: the names that OpenAI-compatible APIs take. */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** Puts tools together. Throws `tool_invalid`, also for two of one name. */
export function createToolBox(tools: readonly AgentTool[]): ToolBox {
  const byName = new Map<string, AgentTool>();
  for (const tool of tools) {
    if (!NAME.test(tool.name)) throw invalid(tool.name, 'its name is not one that models can use');
    if (byName.has(tool.name)) throw invalid(tool.name, 'there are two of that name');
    byName.set(tool.name, tool);
  }
  const compiled = new Map<AgentTool, CompiledSchema>();
  return {
    specs: tools.map(({ name, description, parameters }) => ({
      name,
      ...(description !== undefined && { description }),
      parameters,
    })),
    schemas: Object.fromEntries(tools.map(({ name, parameters }) => [name, parameters])),
    get: (name) => byName.get(name),
    misfit(tool, args) {
      const schema = compiled.get(tool) ?? compileForeignSchema(tool.parameters);
      compiled.set(tool, schema);
      return schema.ok ? schema.misfit(args) : `its schema cannot be used: ${schema.detail}`;
    },
  };
}

function invalid(tool: string, detail: string): SignalboxError {
  return new SignalboxError('tool_invalid', { tool: tool.slice(0, 64), detail });
}
