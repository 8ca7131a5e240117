import type { Attributes } from '@opentelemetry/api';

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

/**
 * Changes a value before it is exported.
 *
 * @returns the value to export; undefined leaves the attribute out
 */
export type Redact = (
  attribute: string,
  value: string,
  where: { readonly instance: string },
) => string | undefined;

export interface ContentOptions {
  /** Whether texts and data of people, models and agents are exported. False when left out. */
  readonly content?: boolean;
  readonly redact?: Redact;
}

/** The maximum length of an attribute's value, in UTF-16 units. */
const lengthMax = 32_768;

/** Decides which texts and data leave the process. */
export class Content {
  readonly #options: ContentOptions;

  constructor(options: ContentOptions) {
    this.#options = options;
  }

  /** Whether content is exported at all. */
  get isOn(): boolean {
    return this.#options.content === true;
  }

  /** An attribute with content; none unless content is exported. A value that is not a string is exported as JSON. */
  attribute(instance: string, name: string, value: unknown): Attributes {
    if (!this.isOn || value === undefined || value === null) return {};
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const { redact } = this.#options;
    let kept: string | undefined = text;
    if (redact) {
      try {
        kept = redact(name, text, { instance });
      } catch {
        // A value that could not be redacted is not exported.
        kept = undefined;
      }
    }
    if (typeof kept !== 'string') return {};
    return { [name]: kept.length > lengthMax ? `${kept.slice(0, lengthMax)}…` : kept };
  }

  /** The message of an error, which may repeat what a person or a model wrote. */
  message(instance: string, because: unknown): { readonly message?: string } {
    const { [errorMessage]: message } = this.attribute(instance, errorMessage, because);
    return typeof message === 'string' ? { message } : {};
  }
}

const errorMessage = 'error.message';
