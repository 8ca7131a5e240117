import type { EventObject, PortOutput } from '@dramaturg/compiler';
import { type Knowledge, latest, mostQueries, noTools, shortened } from '../context.ts';
import { answerFields, newQueries, preparedCall, refuseUnread, wordedQueries } from './answer.ts';
import {
  change,
  currentState,
  type GraphAction,
  type GraphScope,
  outputOf,
  traversalOf,
} from './meta.ts';

/** Actions that add knowledge to a turn. It counts once the turn is spoken. */

/** Takes the memories of active memory, before an action is selected. */
const takeActiveMemory: GraphAction = (scope) => {
  const { remembered, state } = traversalOf(scope);
  const { memories, emit } = takenMemories(scope);
  return {
    ...change(scope, {
      remembered: [...remembered, state],
      knowledge: withMemories(scope, memories),
    }),
    emit,
  };
};

/** Takes the results of a recall state's queries. */
const takeRecalled: GraphAction = (scope) => {
  const queries = newQueries(scope);
  const { memories, emit } = takenMemories(scope);
  const knowledge = withMemories(scope, memories);
  return {
    ...change(scope, {
      performed: queries,
      knowledge: { ...knowledge, queries: latest([...knowledge.queries, ...queries], mostQueries) },
    }),
    emit,
  };
};

function takenMemories(scope: GraphScope): { memories: string[]; emit: EventObject[] } {
  const found = (outputOf(scope) as PortOutput<'recall'>).memories.map(({ text }) => text);
  const state = currentState(scope).title;
  return {
    memories: found,
    emit: found.length > 0 ? [{ type: 'memory.recalled', state, memories: found }] : [],
  };
}

/** Adds memories. A known memory is not added again; it moves to the end. */
function withMemories(scope: GraphScope, found: readonly string[]): Knowledge {
  const { knowledge } = traversalOf(scope);
  const texts = found.map((text) => shortened(text));
  const others = knowledge.memories.filter((memory) => !texts.includes(memory));
  return { ...knowledge, memories: latest([...others, ...new Set(texts)]) };
}

const takeQueries: GraphAction = (scope) => ({
  ...change(scope, { wanted: wordedQueries(scope) }),
  emit: refuseUnread(scope, answerFields.queries),
});

const takeThought: GraphAction = (scope) => {
  const { word_limit: limit, cut } = currentState(scope);
  const { text } = outputOf(scope) as PortOutput<'think'>;
  return think(scope, cut && limit !== undefined ? cutToWords(text, limit) : text);
};

/** Cuts after the last whole word. */
function cutToWords(text: string, limit: number): string {
  let words = 0;
  for (const { index, 0: word } of text.matchAll(/\S+/gu)) {
    words += 1;
    if (words === limit) return text.slice(0, index + word.length);
  }
  return text;
}

const annotate: GraphAction = (scope) => think(scope, currentState(scope).inner_thought ?? '');

function think(scope: GraphScope, text: string): ReturnType<GraphAction> {
  const { knowledge, events } = traversalOf(scope);
  const state = currentState(scope).title;
  const at = scope.context.messages + thoughtsIn(events) + 1;
  return change(scope, {
    knowledge: {
      ...knowledge,
      thoughts: latest([...knowledge.thoughts, { state, text: shortened(text), at }]),
    },
    events: [...events, { type: 'thought.added', state, text }],
  });
}

/** How many thoughts a turn has had. They become messages of the conversation once the turn is spoken. */
export function thoughtsIn(events: readonly EventObject[]): number {
  return events.filter(({ type }) => type === 'thought.added').length;
}

/** Adds an event for the client. It is emitted with the turn, so a turn that fails triggers nothing. */
const triggerEffect: GraphAction = (scope) => {
  const { events } = traversalOf(scope);
  const { title, side_effect: effect } = currentState(scope);
  const name = effect?.['event_name'];
  return change(scope, {
    events: [
      ...events,
      { type: 'effect.triggered', state: title, event_name: typeof name === 'string' ? name : '' },
    ],
  });
};

/** Refuses arguments that are missing or fail a validation. The repeated call tells the model why. */
const refuseArguments: GraphAction = (scope) => {
  const refused = preparedCall(scope).problems.join(' ');
  return {
    ...change(scope, { refused, tools: noTools }),
    emit: refuseUnread(scope, answerFields.call),
  };
};

export const learnActions = {
  takeActiveMemory,
  takeRecalled,
  takeQueries,
  takeThought,
  annotate,
  triggerEffect,
  refuseArguments,
};
