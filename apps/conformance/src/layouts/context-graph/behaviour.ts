import type { Json } from '@dramaturg/compiler';
import type { GraphEmitted, TransitionRecord } from '@dramaturg/context-graph';
import { type Difference, firstDifference } from '../../layout.ts';
import type { BehaviourCase, LoadedGraphs, TurnCase } from './case-file.ts';
import { Performance } from './performance.ts';

/** Plays the turns of a case, and compares every recorded field of each turn. */
export async function runBehaviour(
  { graph, graphs }: LoadedGraphs,
  { options, turns }: BehaviourCase,
): Promise<Difference | undefined> {
  const limit = options.maxSteps === undefined ? {} : { maxTransitionsPerTurn: options.maxSteps };
  const performance = new Performance(
    graph,
    { graphs, ...limit },
    {
      returning: options.returning === true,
      opening: turns[0]?.user === null ? 'agent' : 'person',
    },
  );
  for (const [index, turn] of turns.entries()) {
    const actual = await play(performance, turn);
    const { user: _, answers: __, ...expected } = turn;
    const difference = firstDifference(expected, actual, `turn ${index + 1}, `);
    if (difference) return difference;
  }
  return undefined;
}

async function play(
  performance: Performance,
  { user, answers, error }: TurnCase,
): Promise<Record<string, unknown>> {
  const isOver = performance.actor.getSnapshot().status === 'done';
  if (!isOver) await performance.turn(user, answers);
  const { events, calls, context } = performance;
  const state = context.state.split('/').at(-1)!;
  const completed = events.find((event) => event.type === 'traversal.completed');
  const transitions = completed?.transitions ?? [];
  return {
    error: isOver ? 'CG-CONVERSATION-COMPLETED' : errorOf(events, error),
    trace: completed?.trace,
    final: completed?.state ?? state,
    completed: performance.actor.getSnapshot().status === 'done',
    frames: completed?.jumpbacks,
    transitions: transitions.map(written),
    memory_retrieval: calls.filter(({ what }) => what === 'remember').map((call) => call.state),
    recall_performed: transitions.flatMap(({ queries }) => (queries ? [queries] : [])),
    effects: [
      ...calls.flatMap(({ what, input }) =>
        what === 'tool' ? [['tool', input['arguments']!]] : [],
      ),
      ...events.flatMap((event): Json[] =>
        event.type === 'effect.triggered' ? [['effect', event.event_name]] : [],
      ),
    ],
    notes: notesOf(events, transitions),
  };
}

/** Converts a transition to the form of a case file, which has some of its fields elsewhere. */
function written(record: TransitionRecord): object {
  const { queries: _, automatic: __, ...transition } = record;
  return transition;
}

/** The message of a failed turn contains the message of the port. */
function errorOf(events: readonly GraphEmitted[], expected: string | undefined) {
  const failed = events.find((event) => event.type === 'turn.failed');
  return expected !== undefined && failed?.message.includes(expected) ? expected : failed?.message;
}

/** The remarks of a case file about a turn, in order. */
function notesOf(
  events: readonly GraphEmitted[],
  transitions: readonly TransitionRecord[],
): string[] {
  const fallback = transitions.findIndex(({ type }) => type === 'fallback');
  const limit = transitions.find(({ refused }) => refused);
  const refusals = events.filter((event) => event.type === 'answer.refused');
  const invalid = refusals.map(({ answer, state }) => `invalid answer '${answer}' at ${state}`);
  const isDecision = ({ state }: { state: string }) =>
    state === transitions[fallback]?.from && !limit;
  const ofDecision = refusals.filter(isDecision).length;
  const last = refusals.at(-1)?.state;
  const stayed = refusals.filter(({ state }) => state === last).length > 1;
  return [
    ...invalid.slice(0, ofDecision),
    ...(limit
      ? [`limit at ${limit.to}`]
      : fallback >= 0
        ? ['decision fallback to previous action']
        : []),
    ...transitions.flatMap(({ automatic }) => (automatic ? ['single exit auto'] : [])),
    ...invalid.slice(ofDecision),
    ...(stayed && ofDecision === 0 ? ['fallback first action'] : []),
  ];
}
