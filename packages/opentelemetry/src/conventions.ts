/** The version of OpenTelemetry's semantic conventions whose names are used. Those for GenAI are in development, so it is pinned. */
export const semanticConventions = '1.41.0';

const schemaUrl = `https://opentelemetry.io/schemas/${semanticConventions}`;

export const scope = { name: '@dramaturg/opentelemetry', version: '0.1.0', schemaUrl } as const;

/** Attributes of the conventions for GenAI, source code and errors. */
export const attributes = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  conversation: 'gen_ai.conversation.id',
  agent: 'gen_ai.agent.name',
  workflow: 'gen_ai.workflow.name',
  tool: 'gen_ai.tool.name',
  toolCall: 'gen_ai.tool.call.id',
  requestModel: 'gen_ai.request.model',
  responseModel: 'gen_ai.response.model',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cachedInputTokens: 'gen_ai.usage.cache_read.input_tokens',
  reasoningTokens: 'gen_ai.usage.reasoning.output_tokens',
  tokenType: 'gen_ai.token.type',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  file: 'code.file.path',
  line: 'code.line.number',
  column: 'code.column.number',
  errorType: 'error.type',
} as const;

/** The conventions' value for an unknown thing. */
export const other = '_OTHER';
