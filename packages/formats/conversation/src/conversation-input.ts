import { InputError, isRecord } from '@dramaturg/compiler';
import { inSentences, type Opening } from '@dramaturg/compiler/format';
import type { AgentRole } from '@dramaturg/compiler/machine';
import { unknownFields } from '@dramaturg/compiler/shapes';

/** The shared fields of an actor's input, and the problems found so far. A format adds those of its own fields. */
export interface ReadInput {
  /** All fields that are not null. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The conversation's id; part of every idempotency key. */
  readonly conversation: string;
  /** Undefined when the input does not say. */
  readonly opening: Opening | undefined;
  readonly problems: string[];
}

/** A host passes the id of an instance under both names. */
const sharedFields = ['conversation', 'id', 'opening'];

/**
 * Reads the input of a conversation's actor. A field that is null counts as absent.
 *
 * @param known the format's own fields
 */
export function readConversationInput(input: unknown, known: readonly string[]): ReadInput {
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
 * The role of a conversation that another definition calls as an agent. A workflow passes all its data; the conversation
 * takes the fields of its own input.
 */
export function conversationAgent(known: readonly string[]): AgentRole {
  const own = new Set([...known, ...sharedFields]);
  return {
    input: (input) =>
      Object.fromEntries(
        Object.entries(isRecord(input) ? input : {}).filter(([name]) => own.has(name)),
      ),
    ending: (output) => ({ result: output }),
  };
}
