import { type EventObject, isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import type { AgentReference } from '@dramaturg/compiler/format';
import { own } from './context.ts';

/** Data that a definition passes to others: the input of an agent, and of the definition started after the conversation. */

/** A definition to start when a conversation has ended. */
export type OnEnd = {
  readonly start: string;
  /** Its input, with placeholders for values. */
  readonly input?: JsonObject;
  /** The outcomes after which it is started; all except `cancelled` when absent. */
  readonly outcomes?: readonly string[];
};

/** Reads `on_end`. Invalid parts are left out. */
export function readOnEnd(value: unknown): OnEnd | undefined {
  if (!isRecord(value)) return undefined;
  const { start, input, outcomes } = value;
  return {
    start: typeof start === 'string' ? start : '',
    ...(isRecord(input) && { input: input as JsonObject }),
    ...(Array.isArray(outcomes) && { outcomes: outcomes.filter((one) => typeof one === 'string') }),
  };
}

const exactly = /^\{\{\s*([^{}\s]{1,80})\s*\}\}$/;
const within = /\{\{\s*([^{}\s]{1,80})\s*\}\}/g;

/** The names of the values in an input, with their paths in it. */
export function valuesAskedFor(
  input: unknown,
  at: readonly (string | number)[] = [],
): { readonly name: string; readonly at: readonly (string | number)[] }[] {
  if (typeof input === 'string')
    return Array.from(input.matchAll(within), ([, name]) => ({ name: name!, at }));
  if (typeof input !== 'object' || input === null) return [];
  return Object.entries(input).flatMap(([key, part]) =>
    valuesAskedFor(part, [...at, Array.isArray(input) ? Number(key) : key]),
  );
}

/** Fills the values of an input: a string that is one placeholder becomes the value itself, null if it is unknown. */
export function filledInput(input: Json | undefined, values: JsonObject): Json {
  if (input === undefined) return values;
  if (typeof input === 'string') {
    const [, name] = exactly.exec(input) ?? [];
    if (name !== undefined) return own(values, name) ?? null;
    return input.replace(within, (_, key: string) => {
      const value = own(values, key) ?? '';
      return typeof value === 'string' ? value : JSON.stringify(value);
    });
  }
  if (Array.isArray(input)) return input.map((item) => filledInput(item, values));
  if (!isRecord(input)) return input;
  return Object.fromEntries(
    Object.entries(input).map(([key, item]) => [key, filledInput(item, values)]),
  );
}

/**
 * Asks the host to start another definition, if the outcome is one of its outcomes.
 *
 * @param end identifies the end, so that it is started once
 */
export function startRequested(
  onEnd: OnEnd | undefined,
  end: string,
  outcome: string,
  values: JsonObject,
): EventObject[] {
  if (!onEnd || !(onEnd.outcomes?.includes(outcome) ?? outcome !== 'cancelled')) return [];
  const { start, input } = onEnd;
  const key = `${end}/start`;
  return [{ type: 'start.requested', key, start, input: filledInput(input, values) }];
}

/** The agents and definitions that a conversation names: the `agent` of a task, and the definition to start. */
export function namedAgents(definition: unknown, path: (string | number)[] = []): AgentReference[] {
  if (typeof definition !== 'object' || definition === null) return [];
  return Object.entries(definition).flatMap(([key, part]) => {
    const at = [...path, Array.isArray(definition) ? Number(key) : key];
    const isName =
      typeof part === 'string' &&
      ((key === 'agent' && at.at(-3) === 'tasks') || (key === 'start' && path.at(-1) === 'on_end'));
    return isName ? [{ path: at, name: part, isDefinition: false }] : namedAgents(part, at);
  });
}
