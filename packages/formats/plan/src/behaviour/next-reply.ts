import type { NextReply } from '@dramaturg/compiler';
import { newSections } from '@dramaturg/conversation';
import type { PlanContext } from '../context.ts';
import { currentState, type TimedPlace } from './meta.ts';
import { outlineOf } from './outline.ts';
import { asksAnew, extractPrompt, replyPrompt } from './prompt.ts';
import { entered } from './visit.ts';
import { asks, directions, taskTools, upcomingAsks } from './questions.ts';

/** How many possible next states are predicted, and how many questions of each. */
const [mostMoves, mostAsks] = [3, 8];

/**
 * Predicts the reply after an extraction: the plan stays in its state, or moves to a state that it may lead to. Spec:
 * docs/formats/plan.md#turn
 */
export function nextReply({ context, meta, world }: TimedPlace): NextReply {
  const foreseen = [...stays(context), ...moves({ context, meta, world })].map(({ id, after }) => ({
    id,
    place: { context: after, meta, world },
  }));
  const known = extractPrompt({ context, meta, world }).filter(({ constant }) => constant);
  const added = (place: TimedPlace) =>
    newSections(replyPrompt(place), known).filter(({ progress }) => !progress);
  const shared = added(foreseen[0]!.place).filter(({ constant }) => constant);
  const cases = foreseen.map(({ id, place }) => ({
    id,
    prompt: newSections(added(place), shared),
    asks: (outlineOf(meta) ? upcomingAsks(place) : asks(place).map(short)).slice(0, mostAsks),
    directions: directions(place),
  }));
  // An extraction records the same tasks as the tools of a reply.
  return { prompt: shared, tools: [], unneeded: Object.keys(taskTools), cases };
}

interface Foreseen {
  readonly id: string;
  readonly after: PlanContext;
}

/** The plan stays in its state: with something to record, or after another message that says nothing new. */
function stays(context: PlanContext): Foreseen[] {
  const { state, visit } = context;
  const after = (idleTurns: number) => ({ ...context, visit: { ...visit, idleTurns } });
  return [
    { id: state, after: after(0) },
    ...(asksAnew(visit.idleTurns + 1)
      ? [{ id: `${state}, nothing new`, after: after(visit.idleTurns + 1) }]
      : []),
  ];
}

function moves(scope: TimedPlace): Foreseen[] {
  // Without an outline, models do not know the texts of other states.
  if (outlineOf(scope.meta) === undefined) return [];
  const { leads_to: targets = [] } = currentState(scope);
  return targets.slice(0, mostMoves).map((to) => ({ id: to, after: afterMove(scope, to) }));
}

/** The context after `follow` and `enterState`. */
function afterMove(scope: TimedPlace, to: string): PlanContext {
  const { context } = scope;
  return { ...context, cameFrom: context.cameFrom ?? context.state, ...entered(scope, to) };
}

function short({ name, question, unconfirmed }: ReturnType<typeof asks>[number]) {
  return { name, question, ...(unconfirmed === undefined ? {} : { unconfirmed }) };
}
