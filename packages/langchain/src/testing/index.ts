export type { ChatRequest, ModelAnswer } from './model-server.ts';
export { modelServer, type ModelServer, type ModelServerOptions } from './model-server.ts';
export { PromptCache, type PromptTokens, usageFor } from './model-server.ts';
