export { runAgent, type RunAgentOptions } from './run-agent.ts';
export { openAgentSession } from './session.ts';
export type { AgentSession, Input, Place } from './agent-session.ts';
export type { AgentOptions, Compaction, RunResult, SubAgent } from './options.ts';
export type { ClientEvent, OnEvent } from './client-events.ts';
export { openHistory, type HistoryStore, type Stored } from './history.ts';
export type { MessageDraft, StoredMessage, ToolCallRequest } from './message.ts';
export { openAiModel, type ModelEndpoint } from './openai-model.ts';
export {
  ModelFailure,
  type Model,
  type ModelAnswer,
  type ModelRequest,
  type ToolSpec,
} from './model.ts';
export { ToolOutcome, type AgentTool, type ToolReply, type ToolRun } from './tool.ts';
export { currentRequestId } from './request-id.ts';
export { toolsOfMcpServer, type McpServer } from './mcp-tools.ts';
export { toolsOfModule, type OpenTools } from './tool-sources.ts';
