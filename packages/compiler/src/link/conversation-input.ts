import { isRecord } from '../json.ts';
import { unknownFields } from '../unknown-fields.ts';
import { type AgentRole, InputError, inSentences } from './behaviour.ts';

/** Who has the first word in a conversation. */
export type Opening = 'agent' | 'person';

/** What every conversation begins with, and the problems of its input so far: a format adds those of its own fields. */
export interface ConversationInput {
  readonly fields: Readonly<Record<string, unknown>>;
  /** The conversation's id; part of every idempotency key. */
  readonly conversation: string;
  /** Undefined when the input does not say. */
  readonly opening: Opening | undefined;
  readonly problems: string[];
}

/** A host gives the id of an instance by both names. */
const shared = ['conversation', 'id', 'opening'];

/**
 * Reads the input of a conversation's actor. A field that is null counts as absent.
 *
 * @param known the format's own fields
 */
export function conversationInput(input: unknown, known: readonly string[]): ConversationInput {
  const problems: string[] = [];
  if (input !== undefined && input !== null && !isRecord(input))
    problems.push('the input must be an object');
  const given = isRecord(input) ? input : {};
  const fields = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  // `id` is not listed: it is another name of `conversation`.
  const named = Object.fromEntries(Object.entries(fields).filter(([name]) => name !== 'id'));
  problems.push(...unknownFields(named, [...known, 'opening', 'conversation']));
  const { conversation = '', opening } = fields;
  if (typeof conversation !== 'string') problems.push('"conversation" must be a text');
  if (opening !== undefined && opening !== 'agent' && opening !== 'person')
    problems.push('"opening" must be "agent" or "person"');
  return {
    fields,
    conversation:
      typeof conversation === 'string' && conversation !== '' ? conversation : 'conversation',
    opening: opening === 'agent' || opening === 'person' ? opening : undefined,
    problems,
  };
}

/** @throws InputError with all problems, when there are any */
export function refuseInput(problems: readonly string[], hint = ''): void {
  if (problems.length === 0) return;
  const message = `The conversation cannot begin: ${inSentences(problems)}`;
  throw new InputError([message, hint].filter(Boolean).join(' '), problems);
}

/**
 * A conversation as an agent of another definition. Of the data it is called with it takes its own fields: a workflow
 * hands on all that it has.
 */
export function conversationAgent(known: readonly string[]): AgentRole {
  const own = new Set([...known, ...shared]);
  return {
    input: (input) =>
      Object.fromEntries(
        Object.entries(isRecord(input) ? input : {}).filter(([name]) => own.has(name)),
      ),
    ending: (output) => ({ result: output }),
  };
}
