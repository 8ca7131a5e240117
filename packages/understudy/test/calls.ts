import type { JsonObject, PortCall, PortInput } from '@dramaturg/compiler';
import { extract } from '../src/extract.ts';

/** A call whose parts nobody hears and that is never aborted. */
export const call: PortCall = { signal: new AbortController().signal, onText: () => {} };

/** What every input has, in the middle of a conversation. */
export const midway = { key: 'call-1', transcript: { conversation: 'c', length: 2 }, prompt: [] };

interface Question {
  /** The name of the field that was asked for, or the path to it. */
  readonly asked?: string | readonly string[];
  readonly ifDeclined?: JsonObject;
}

/** What the understudy extracts from a message, for an object schema with these properties. */
export function extracted(
  message: string,
  properties: JsonObject,
  { asked, ifDeclined }: Question = {},
): unknown {
  const path = typeof asked === 'string' ? [asked] : [...(asked ?? [])];
  const input: PortInput<'extract'> = {
    ...midway,
    message,
    schema: { type: 'object', properties },
    ...(asked === undefined
      ? {}
      : { asked: { path, ...(ifDeclined === undefined ? {} : { ifDeclined }) } }),
  };
  const { value } = extract(input, call) as { value: unknown };
  return value;
}

/** What the understudy reads in the answer to the question for one field of that schema; undefined when nothing. */
export function answered(message: string, schema: JsonObject, name = 'answer'): unknown {
  return (extracted(message, { [name]: schema }, { asked: name }) as Record<string, unknown>)[name];
}

/** A call in a conversation of which these lines were said: those of the agent begin with "agent: ". */
export function callAfter(lines: readonly string[]): PortCall {
  const spoken = lines.map((line) =>
    line.startsWith('agent: ')
      ? { role: 'agent' as const, text: line.slice('agent: '.length) }
      : { role: 'contact' as const, text: line },
  );
  return { ...call, transcript: async (last) => spoken.slice(-last) };
}
