import { isRecord } from '@dramaturg/compiler';

/** What a model has answered, whichever provider's spelling it came in. */
export interface Said {
  readonly text: string;
  /** Calls of tools, as the model wrote them: the arguments may be anything. */
  readonly toolCalls: readonly { readonly name: string; readonly arguments: unknown }[];
  /** Why the model will not answer, if it said so. */
  readonly refusal: string | undefined;
  /** It stopped because it may not say more, and not because it was done. */
  readonly isCutOff: boolean;
  /** The name under which it has answered. */
  readonly model: string | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Reads a message of LangChain. It is data from outside: whatever is not of the expected kind counts as not there. */
export function saidIn(message: unknown): Said {
  const fields = isRecord(message) ? message : {};
  const more = recordIn(fields['additional_kwargs']);
  const metadata = recordIn(fields['response_metadata']);
  const use = recordIn(fields['usage_metadata']);
  const reason = metadata['finish_reason'] ?? metadata['stop_reason'] ?? metadata['finishReason'];
  const ended = typeof reason === 'string' ? reason.toLowerCase() : '';
  return {
    text: textIn(fields['content']),
    toolCalls: [
      ...listIn(fields['tool_calls']).map(({ name, args }) => ({
        name: String(name),
        arguments: args,
      })),
      ...listIn(fields['invalid_tool_calls']).map(({ name, args }) => ({
        name: String(name),
        arguments: args,
      })),
    ],
    refusal:
      firstText(more['refusal'], refusalIn(more['__raw_response'])) ??
      (filtered.has(ended) ? 'the answer was withheld by a content filter' : undefined),
    isCutOff: ended === 'length' || ended === 'max_tokens',
    model: firstText(metadata['model_name'], metadata['model']),
    inputTokens: numberIn(use['input_tokens']),
    outputTokens: numberIn(use['output_tokens']),
  };
}

const filtered = new Set(['content_filter', 'refusal', 'safety', 'prohibited_content']);

/** LangChain leaves out OpenAI's `refusal`, which stands only in the response as it came. */
export function refusalIn(response: unknown): string | undefined {
  const [choice] = listIn(recordIn(response)['choices']);
  return firstText(
    recordIn(choice?.['message'])['refusal'],
    recordIn(choice?.['delta'])['refusal'],
  );
}

export function textIn(content: unknown): string {
  if (typeof content === 'string') return content;
  return listIn(content)
    .map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : ''))
    .join('');
}

function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value !== '');
}

function recordIn(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function listIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter((item) => isRecord(item)) : [];
}

function numberIn(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
