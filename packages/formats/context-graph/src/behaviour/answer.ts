import {
  type EventObject,
  isRecord,
  type Json,
  type JsonObject,
  type PortOutput,
} from '@dramaturg/compiler';
import { refusedFields } from '@dramaturg/conversation';
import {
  currentState,
  type ExitMeta,
  type GraphScope,
  outputOf,
  type Place,
  traversalOf,
} from './meta.ts';

/** The model's answer, word for word. */
export function writtenAnswer(scope: Pick<GraphScope, 'event'>): string {
  return (outputOf(scope) as PortOutput<'choose'>).option;
}

/**
 * The option that an answer names: an action's or exit's id; else the target or the description of an exit, if all exits that
 * match lead to one state. A state that is not the target of an exit is an invalid answer, even if it exists. Spec:
 * docs/formats/context-graph.md#answers
 */
export function pickedOption(scope: GraphScope): string | undefined {
  const answer = writtenAnswer(scope);
  const { actions = [], exits = [] } = currentState(scope);
  if (actions.some(({ id }) => id === answer)) return answer;
  return traversalOf(scope).masked ? undefined : pickedExit(answer, exits)?.id;
}

function pickedExit(answer: string, exits: readonly ExitMeta[]): ExitMeta | undefined {
  const byId = exits.find(({ id }) => id === answer);
  if (byId) return byId;
  const matching = exits.filter(
    ({ next_state, description }) => next_state === answer || description === answer,
  );
  return new Set(matching.map(({ to }) => to)).size === 1 ? matching[0] : undefined;
}

/** The exit that an answer names. */
export function exitPicked(scope: GraphScope): ExitMeta | undefined {
  const picked = pickedOption(scope);
  return currentState(scope).exits?.find(({ id }) => id === picked);
}

/** Reads answers of the port `extract`: queries for a recall, arguments for a tool. Untrusted, so field by field. */

/** The queries of the current recall that this conversation has not performed yet. Compares trimmed strings exactly. */
export function newQueries(scope: Place): string[] {
  const { queries = [] } = currentState(scope);
  const { wanted, knowledge } = traversalOf(scope);
  const asked = (queries.length > 0 ? queries : wanted).map((query) => query.trim());
  return [...new Set(asked)].filter((query) => query !== '' && !knowledge.queries.includes(query));
}

/** The most queries of one answer, and the length at which a query is cut. */
const mostAtOnce = 20;
const longestQuery = 500;

export function wordedQueries(scope: Pick<GraphScope, 'event'>): string[] {
  const { value } = outputOf(scope) as { value: JsonObject };
  const queries = value['queries'];
  if (!Array.isArray(queries)) return [];
  return (queries as readonly Json[])
    .filter((query) => typeof query === 'string')
    .slice(0, mostAtOnce)
    .map((query) => query.slice(0, longestQuery));
}

/** The fields of the answers that are read. */
export const answerFields = {
  queries: ['queries'],
  call: ['arguments', 'failed_validations'],
};

/** Refuses the fields of an answer that are not read. */
export function refuseUnread(
  scope: Pick<GraphScope, 'context' | 'meta' | 'event'>,
  known: readonly string[],
): EventObject[] {
  const { value } = outputOf(scope) as { value: JsonObject };
  return refusedFields(value, known, currentState(scope).title);
}

/** The arguments for the designated tool, and the validations that they fail. */
export function preparedCall(scope: Pick<GraphScope, 'context' | 'meta' | 'event'>): {
  readonly arguments: JsonObject;
  readonly problems: readonly string[];
} {
  const { value } = outputOf(scope) as { value: JsonObject };
  const built = value['arguments'];
  const failed = value['failed_validations'];
  const { validations = [] } = currentState(scope);
  if (!isRecord(built)) return { arguments: {}, problems: ['No arguments were built.'] };
  const problems = Array.isArray(failed)
    ? validations.filter((validation) => (failed as readonly Json[]).includes(validation))
    : [];
  return { arguments: built, problems };
}
