import type { Chart, JsonObject } from '@dramaturg/compiler';
import { type ChartNode, nodeKey } from '@dramaturg/compiler/chart';
import type { FormField } from '@dramaturg/compiler/format';
import { conversationChart } from '@dramaturg/conversation';
import { eachCondition, keyOf } from '../conditions/condition.ts';
import { end, human, type Plan, restart, withoutPlaces } from '../definition.ts';
import { internal, planNode, stateNode } from '../names.ts';
import { allDeliverables, declarationFinder, firstByKey, targetsOf } from '../plan-graph.ts';
import type { PlanOptions } from '../shape.ts';
import { action, context, guard } from './references.ts';
import { lowerState } from './state.ts';
import { lowerTurn } from './turn.ts';

/**
 * A plan has two parallel regions: `plan` is the current state of the conversation, and `turn` says who must act next. They
 * exchange the events of names.ts. The conversation ends when both regions have ended. Spec: docs/formats/plan.md#turn
 */
export function lower(plan: Plan, options: PlanOptions): Chart {
  const checksValues = allDeliverables(plan).some(({ validate }) => validate !== undefined);
  const tasks = plan.states.flatMap((state) => state.tasks);
  const hasAgents = tasks.some(({ agent }) => agent !== undefined);
  return conversationChart(plan.id, {
    format: 'plan',
    description: plan.description,
    context: context('start', {
      initial_state_id: plan.initial_state_id,
      ...(hasEnd(plan) ? {} : { endless: true }),
      opening: plan.agent_spawn_mode === 'on_demand' ? 'person' : 'agent',
      session_context: plan.session_context.map(withoutPlaces) as object[] as FormField[],
    }),
    meta: { title: plan.title, ...languageOf(plan) },
    conversation: {
      on: {
        cancel: [{ target: 'ended', actions: [action('cancel')] }],
        [internal.ended]: [{ target: 'ended', actions: [action('endByAgent')] }],
      },
      onDone: [{ target: 'ended' }],
      states: {
        plan: planRegion(plan, options),
        turn: lowerTurn(checksValues, hasAgents, options.summariseAfter),
      },
    },
  });
}

function hasEnd(plan: Plan): boolean {
  return plan.states.some(
    (state) => state.transitions.length === 0 || targetsOf(plan, state).includes(end),
  );
}

function languageOf({ language }: Plan): JsonObject {
  return language === 'auto' ? {} : { language };
}

function planRegion(plan: Plan, options: PlanOptions): ChartNode {
  const declarationOf = declarationFinder(plan);
  const states = plan.states.map((state, index): [string, ChartNode] => [
    nodeKey(state.id),
    lowerState(state, { plan, options, declarationOf, next: plan.states[index + 1]?.id }),
  ]);
  return {
    id: `region:${planNode}`,
    initial: nodeKey(plan.initial_state_id),
    meta: metaOf(plan, options),
    on: {
      'plan.update': [{ actions: [action('takeUpdate')] }],
      // A value that the state does not take is one of three: a correction of a known value, kept until its turn, or refused with
      // a reason.
      [internal.set]: [
        { guard: guard('mayBeAmended'), actions: [action('collect')] },
        { guard: guard('isAhead'), actions: [action('volunteer')] },
        { actions: [action('refuseValue')] },
      ],
      [internal.complete]: [isDone, { actions: [action('refuseCompletion')] }],
      [internal.skip]: [isDone, { actions: [action('refuseSkip')] }],
      [internal.skipState]: [{ actions: [action('refuseSkippingState')] }],
      [internal.end]: [{ actions: [action('endUpdate')] }],
      [internal.evaluate]: [{ actions: [action('settle')] }],
      ...corrections(plan, states),
    },
    states: {
      ...Object.fromEntries(states),
      [end]: {
        id: `state:${end}`,
        type: 'final',
        entry: [action('endPlan')],
        meta: { title: 'End' },
      },
    },
  };
}

const isDone = { guard: guard('isDone'), actions: [] };

/** Transitions of corrections, one to each target of a decision. */
function corrections(
  { initial_state_id: initial }: Plan,
  states: readonly (readonly [string, ChartNode])[],
): NonNullable<ChartNode['on']> {
  const targets = states.flatMap(([, { meta }]) =>
    ((meta as { decides?: readonly { to: string }[] }).decides ?? []).map(({ to }) => to),
  );
  const leading = [...new Set(targets)]
    .filter((to) => to !== human)
    .map((to) => ({
      target: `#${stateNode(to === restart ? initial : to)}`,
      guard: guard('leadsTo', { to }),
      actions:
        to === restart
          ? [action('restart'), action('follow', { from: initial, to })]
          : [action('goBack')],
    }));
  return leading.length > 0 ? { [internal.correct]: leading } : {};
}

/** The values that conditions of the whole plan read are recorded in every state. */
function heardEverywhere(plan: Plan): JsonObject {
  const declared = firstByKey(allDeliverables(plan));
  const keys = (plan.transitions ?? [])
    .flatMap(({ condition }) => (condition ? eachCondition(condition) : []))
    .flatMap((condition) => keyOf(condition) ?? []);
  const own = (plan.deliverables ?? []).map(({ key }) => key);
  const heard = [...new Set([...own, ...keys])].flatMap((key) => declared.get(key) ?? []);
  return {
    ...(own.length > 0 && { deliverables: (plan.deliverables ?? []).map(withoutPlaces) }),
    ...(heard.length > 0 && { heard: heard.map(withoutPlaces) }),
  };
}

function metaOf(plan: Plan, options: PlanOptions): JsonObject {
  const { title, description, system_prompt, session_context, farewell_message, on_end } = plan;
  return {
    origin: [],
    title,
    ...(description && { description }),
    ...(system_prompt && { system_prompt }),
    ...languageOf(plan),
    ...(session_context.length > 0 && {
      session_context: session_context.map(({ id, label }) => ({ id, label })),
    }),
    ...(farewell_message && { farewell_message }),
    ...(on_end && { on_end: withoutPlaces(on_end) }),
    ...heardEverywhere(plan),
    completion: options.completion,
  };
}
