import { isRecord } from '@dramaturg/compiler';
import type { Message } from '../model/model.ts';
import type { Completion } from '../model/completion.ts';
import { jsonInText } from './json-in-text.ts';

/** What models are told that lack what is asked for otherwise: it stands at the end of their instructions. */
export function instructed(messages: readonly Message[], instructions: string): Message[] {
  const [first, ...rest] = messages;
  if (first?.role !== 'system') return [{ role: 'system', content: instructions }, ...messages];
  return [{ role: 'system', content: `${first.content}\n\n${instructions}` }, ...rest];
}

/** The calls that a model has written as `{"toolCalls": [...]}`. */
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
