import { isRecord } from '@dramaturg/compiler';
import { cutOffBy, withoutThoughts } from '@dramaturg/compiler/machine';

/** The answer of a model, independent of the provider. */
export interface Completion {
  /** Without the model's thoughts. */
  readonly text: string;
  /** Calls of tools, as the model wrote them: the arguments may be anything. */
  readonly toolCalls: readonly { readonly name: string; readonly arguments: unknown }[];
  /** Why the model refuses to answer, if it does. */
  readonly refusal: string | undefined;
  /** Why the answer ended before it was complete, if it did. */
  readonly cutOff: 'length' | 'filter' | undefined;
  /** The name of the model in the response. */
  readonly model: string | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Included in the numbers above. */
  readonly cachedInputTokens: number;
  readonly reasoningTokens: number;
}

/** Reads a message of LangChain. The message is untrusted: a field of an unexpected type counts as absent. */
export function readCompletion(message: unknown): Completion {
  const fields = isRecord(message) ? message : {};
  const more = recordIn(fields['additional_kwargs']);
  const metadata = recordIn(fields['response_metadata']);
  const use = recordIn(fields['usage_metadata']);
  const ended = reasonIn(metadata);
  const text = withoutThoughts(textIn(fields['content']));
  const cutOff = cutOffBy(ended);
  return {
    text,
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
      (ended === 'refusal' || (cutOff === 'filter' && text === '')
        ? 'the answer was withheld by a content filter'
        : undefined),
    cutOff,
    model: firstText(metadata['model_name'], metadata['model']),
    inputTokens: numberIn(use['input_tokens']),
    outputTokens: numberIn(use['output_tokens']),
    cachedInputTokens: numberIn(recordIn(use['input_token_details'])['cache_read']),
    reasoningTokens: numberIn(recordIn(use['output_token_details'])['reasoning']),
  };
}

/** The reason why the model stopped, which each provider reports in another field; undefined in a part of a stream before the last. */
export function reasonIn(metadata: Readonly<Record<string, unknown>>): unknown {
  const { finish_reason, stop_reason, finishReason, stopReason, done_reason } = metadata;
  const { reason } = recordIn(metadata['incomplete_details']);
  return (
    finish_reason ??
    stop_reason ??
    finishReason ??
    stopReason ??
    done_reason ??
    recordIn(metadata['messageStop'])['stopReason'] ??
    reason ??
    undefined
  );
}

/** LangChain drops OpenAI's `refusal`; it is only in the raw response. */
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
