export { runAgent, type RunAgentOptions } from './run-agent.ts';
export { openAgentSession } from './session.ts';
export type { AgentSession, Input, Place } from './agent-session.ts';
export type { AgentOptions, Compaction, RunResult, SubAgent } from './options.ts';
export type { ClientEvent, OnEvent } from './client-events.ts';
export { openHistory, type HistoryStore, type Parked, type Stored } from './history/history.ts';
export type { MessageDraft, StoredMessage, ToolCallRequest } from './history/message.ts';
export { openAiModel, type ModelEndpoint } from './model/openai-model.ts';
export {
  ModelFailure,
  type Model,
  type ModelAnswer,
  type ModelRequest,
  type ToolSpec,
} from './model/model.ts';
export { ToolOutcome, type AgentTool, type ToolReply, type ToolRun } from './tools/tool.ts';
export { currentRequestId } from './model/request-id.ts';
export { toolsOfMcpServer, type McpServer } from './tools/mcp-tools.ts';
export { toolsOfModule, type OpenTools } from './tools/tool-sources.ts';
