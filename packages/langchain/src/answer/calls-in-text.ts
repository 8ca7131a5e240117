import { isRecord } from '@dramaturg/compiler';
import type { Message } from '../model/message.ts';
import type { Completion } from '../model/completion.ts';
import { jsonInText } from './json-in-text.ts';

/** Adds instructions at the end of the system message, for models that lack a mode or tools. */
export function instructed(messages: readonly Message[], instructions: string): Message[] {
  const [first, ...rest] = messages;
  if (first?.role !== 'system') return [{ role: 'system', content: instructions }, ...messages];
  return [{ role: 'system', content: `${first.content}\n\n${instructions}` }, ...rest];
}

/** The calls that a model wrote as `{"toolCalls": [...]}`. */
export function callsInText(text: string): Completion['toolCalls'] {
  const value = jsonInText(text);
  const calls = isRecord(value) ? value['toolCalls'] : undefined;
  if (!Array.isArray(calls)) return [];
  return calls.flatMap((call: unknown) =>
    isRecord(call) && typeof call['name'] === 'string'
      ? [{ name: call['name'], arguments: call['arguments'] }]
      : [],
  );
}
