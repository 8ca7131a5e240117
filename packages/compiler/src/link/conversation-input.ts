import { nearestName } from '../did-you-mean.ts';
import { isRecord } from '../json.ts';
import { type AgentRole, InputError } from './behaviour.ts';

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
  const names = [...known, 'opening', 'conversation'];
  for (const name of Object.keys(fields))
    if (!known.includes(name) && !shared.includes(name))
      problems.push(unknownField(name, names, 'the input'));
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

/** `"compny" is unknown (did you mean "company"?); the session has the fields "company", "seats"`. */
export function unknownField(name: string, known: readonly string[], owner: string): string {
  const nearest = nearestName(name, known);
  const hint = nearest === undefined ? '' : ` (did you mean "${nearest}"?)`;
  const list = known.map((one) => `"${one}"`).join(', ');
  return `"${name}" is unknown${hint}; ${owner} has ${list === '' ? 'no fields' : `the fields ${list}`}`;
}

/** @throws InputError with all problems, when there are any */
export function refuseInput(problems: readonly string[], hint = ''): void {
  if (problems.length === 0) return;
  const message = `The conversation cannot begin: ${problems.join(', ')}.`;
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
