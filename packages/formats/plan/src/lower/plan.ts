import type { Chart, JsonObject } from '@dramaturg/compiler';
import { type ChartNode, type ChartTransition, nodeKey } from '@dramaturg/compiler/chart';
import type { FormField } from '@dramaturg/compiler/format';
import { calling, conversationChart, summarising, turnRegion } from '@dramaturg/conversation';
import { eachCondition, keyOf } from '../conditions/condition.ts';
import { end, human, type Plan, restart, withoutPlaces } from '../definition.ts';
import { internal, planNode, stateNode } from '../names.ts';
import { allDeliverables, declarationFinder, firstByKey, targetsOf } from '../plan-graph.ts';
import type { PlanOptions } from '../shape.ts';
import { action, context, guard, input } from './references.ts';
import { lowerState } from './state.ts';

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

/**
 * A turn: the values of the message are extracted and recorded, the plan moves until no transition holds, and the reply is composed
 * for the new state. Spec: docs/formats/plan.md#turn
 */
function lowerTurn(checksValues: boolean, hasAgents: boolean, summariseAfter?: number): ChartNode {
  const region = turnRegion({
    opening: {
      always: [
        { target: 'waiting', guard: guard('personOpens') },
        ...(hasAgents ? [toWork] : []),
        { target: 'answering' },
      ],
    },
    waiting: {
      target: '#turn:listening',
      resumed: '#turn:settling',
      always: checksValues ? [toCheck] : [],
      on: { [internal.settled]: [farewell, closed, overdueLine] },
    },
    answering: answering(checksValues, hasAgents, summariseAfter),
    // The plan can end by an event from outside while a failed turn rests.
    onFailed: { [internal.settled]: [farewell, { ...closed, guard: guard('hasEndedMeanwhile') }] },
  });
  return { ...region, states: { ...region.states, closed: { id: 'turn:closed', type: 'final' } } };
}

/** The author's farewell is the last message; without one, the reply to the person's last message is the last. */
const farewell = {
  target: '#turn:closed',
  guard: guard('hasFarewell'),
  actions: [action('sayFarewell')],
};

const closed: ChartTransition = { target: '#turn:closed', guard: guard('hasEnded') };

/** The question to which updates from outside, or a reply that asked nothing, have led is asked once. */
const overdueLine: ChartTransition = {
  target: '#turn:settling',
  guard: guard('isOverdue'),
  actions: [action('beginLine')],
};

/**
 * The nodes of the current turn. Values with a rule of the program are checked before they are recorded, for messages and for
 * updates. Tasks of agents are done in the turn in which they are ready, before the reply: docs/formats/plan.md#agents
 */
function answering(checksValues: boolean, hasAgents: boolean, summariseAfter?: number): ChartNode {
  const workFirst = hasAgents ? [toWork, toPerson] : [];
  const toReply = checksValues
    ? [{ target: 'replying', guard: guard('owesReply') }, closed, toWaiting]
    : [
        { ...toWaiting, guard: guard('hasMore'), actions: [action('forgetMessage')] },
        { target: 'replying' },
      ];
  // A summary of a long conversation, after the reply.
  const summary = summariseAfter === undefined ? undefined : { after: summariseAfter };
  const due = summary ? [{ target: 'summarising', guard: guard('isSummaryDue', summary) }] : [];
  const afterReply = [farewell, ...workFirst, closed, overdueLine, ...due, toWaiting];
  return {
    initial: 'replying',
    states: {
      listening: {
        id: 'turn:listening',
        on: {
          [internal.settled]: [
            farewell,
            { target: 'replying', guard: guard('hasEnded') },
            { target: 'extracting', guard: guard('hasQuestions'), actions: [action('address')] },
            { target: 'settling', actions: [action('takeNothing')] },
          ],
        },
      },
      extracting: calling('extract', input('extract'), [
        { target: 'settling', actions: [action('takeExtraction')] },
      ]),
      settling: {
        id: 'turn:settling',
        ...(checksValues && { always: [toCheck] }),
        on: { [internal.settled]: [farewell, ...workFirst, ...toReply] },
      },
      replying: {
        entry: [action('address')],
        ...calling('reply', input('reply'), [{ target: 'spoken', actions: [action('takeReply')] }]),
        // The line after an update is made again when another one follows.
        on: { [internal.settled]: [overdueLine] },
      },
      spoken: { on: { [internal.settled]: afterReply } },
      ...(summary && {
        summarising: summarising({ target: 'summarised', actions: [action('settle')] }, summary),
        summarised: { on: { [internal.settled]: [farewell, closed, toWaiting] } },
      }),
      ...(checksValues && { checking }),
      ...(hasAgents && { working }),
    },
  };
}

const toWaiting: ChartTransition = { target: '#turn:waiting' };
const toCheck: ChartTransition = { target: '#turn:checking', guard: guard('hasUnchecked') };
const toWork: ChartTransition = { target: '#turn:working', guard: guard('hasWork') };
const toPerson: ChartTransition = {
  target: 'replying',
  guard: guard('needsPerson'),
  actions: [action('askForPerson')],
};

const checking: ChartNode = {
  id: 'turn:checking',
  ...calling('validate', input('validate'), [
    { target: 'settling', actions: [action('takeCheck')] },
  ]),
};

const working: ChartNode = {
  id: 'turn:working',
  entry: [action('beginWork')],
  invoke: [
    {
      id: 'work',
      src: 'runAgent',
      input: input('work'),
      onDone: [{ target: 'settling', actions: [action('takeWork')] }],
      onError: [{ target: 'settling', actions: [action('takeFailedWork')] }],
    },
  ],
  on: {
    [internal.settled]: [
      { target: 'settling', guard: guard('isWorkObsolete'), actions: [action('settle')] },
    ],
  },
};
