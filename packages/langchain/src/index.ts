export type { Agent, AgentCall, AgentDefinition } from './agents/agent.ts';
export { langchainPorts, type LangchainPorts } from './langchain-ports.ts';
export type { Memory, MemoryMatch } from './memory/memory.ts';
export type { ChatModel } from './model/chat-model.ts';
export type { LangchainOptions } from './options.ts';
export { requireModel } from './require-model.ts';
export type { Tool } from './tools/plain-tools.ts';
