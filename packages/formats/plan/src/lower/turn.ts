import type { ChartNode, ChartTransition } from '@dramaturg/compiler/chart';
import { calling, summarising, turnRegion } from '@dramaturg/conversation';
import { internal } from '../names.ts';
import { action, guard, input } from './references.ts';

/**
 * A turn: the values of the message are extracted and recorded, the plan moves until no transition holds, and the reply is composed
 * for the new state. Spec: docs/formats/plan.md#turn
 */
export function lowerTurn(
  checksValues: boolean,
  hasAgents: boolean,
  summariseAfter?: number,
): ChartNode {
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
