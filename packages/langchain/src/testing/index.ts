export {
  type ChatRequest,
  type ModelAnswer,
  modelServer,
  type ModelServer,
  type ModelServerOptions,
  PromptCache,
  type PromptTokens,
  usageFor,
} from './model-server.ts';
