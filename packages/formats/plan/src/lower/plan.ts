import type { Chart, ChartNode, JsonObject } from '@dramaturg/compiler';
import { nodeKey } from '@dramaturg/compiler';
import { declarationFinder } from '../declarations.ts';
import { end, type Plan, type PlanOptions, withoutPlaces } from '../definition.ts';
import { internal, planNode } from '../names.ts';
import { lowerState } from './state.ts';
import { turnRegion } from './turn.ts';

/**
 * A plan is two regions side by side: `plan`, where the conversation stands, and `turn`, whose move it is. They talk by
 * the events of names.ts, and the conversation has ended when both have. Spec: docs/formats/plan.md#chart
 */
export function lower(plan: Plan, options: PlanOptions): Chart {
  return {
    chart: 1,
    format: 'plan',
    // Every other id of the chart holds a colon, so that none can be that of a plan.
    id: nodeKey(plan.id).replaceAll(':', '%3A'),
    ...(plan.description ? { description: plan.description } : {}),
    context: {
      type: 'start',
      params: {
        initial_state_id: plan.initial_state_id,
        opening: plan.agent_spawn_mode === 'on_demand' ? 'person' : 'agent',
        session_context: plan.session_context.map(withoutPlaces),
      },
    },
    output: { type: 'result' },
    initial: 'conversation',
    meta: { origin: [], title: plan.title },
    states: {
      conversation: {
        type: 'parallel',
        on: {
          cancel: [{ target: 'ended', actions: [{ type: 'cancel' }] }],
          [internal.ended]: [{ target: 'ended', actions: [{ type: 'endByAgent' }] }],
        },
        onDone: [{ target: 'ended' }],
        states: { plan: planRegion(plan, options), turn: turnRegion() },
      },
      ended: { type: 'final', entry: [{ type: 'announceEnd' }] },
    },
  };
}

function planRegion(plan: Plan, options: PlanOptions): ChartNode {
  const declarationOf = declarationFinder(plan);
  const states = plan.states.map((state, index) => [
    nodeKey(state.id),
    lowerState(state, { plan, options, declarationOf, next: plan.states[index + 1]?.id }),
  ]);
  return {
    id: `region:${planNode}`,
    initial: nodeKey(plan.initial_state_id),
    meta: metaOf(plan, options),
    on: {
      'plan.update': [{ actions: [{ type: 'takeUpdate' }] }],
      // What no state has taken up is a correction of something known, or is refused with a reason.
      [internal.set]: [
        { guard: { type: 'mayBeAmended' }, actions: [{ type: 'collect' }] },
        { actions: [{ type: 'refuseValue' }] },
      ],
      [internal.complete]: [
        { guard: { type: 'isDone' }, actions: [] },
        { actions: [{ type: 'refuseCompletion' }] },
      ],
      [internal.skip]: [
        { guard: { type: 'isDone' }, actions: [] },
        { actions: [{ type: 'refuseSkip' }] },
      ],
      [internal.skipState]: [{ actions: [{ type: 'refuseSkippingState' }] }],
      [internal.end]: [{ actions: [{ type: 'endUpdate' }] }],
      [internal.evaluate]: [{ actions: [{ type: 'settle' }] }],
    },
    states: {
      ...Object.fromEntries(states),
      [end]: {
        id: `state:${end}`,
        type: 'final',
        entry: [{ type: 'endPlan' }],
        meta: { title: 'End' },
      },
    },
  };
}

function metaOf(plan: Plan, options: PlanOptions): JsonObject {
  return {
    origin: [],
    title: plan.title,
    ...(plan.description ? { description: plan.description } : {}),
    ...(plan.system_prompt ? { system_prompt: plan.system_prompt } : {}),
    ...(plan.language === 'auto' ? {} : { language: plan.language }),
    ...(plan.session_context.length > 0
      ? { session_context: plan.session_context.map(({ id, label }) => ({ id, label })) }
      : {}),
    ...(plan.farewell_message ? { farewell_message: plan.farewell_message } : {}),
    completion: options.completion,
  };
}
