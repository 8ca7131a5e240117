import { asl } from '@dramaturg/asl';
import { chartOf, opinionWorkflow, orderWorkflow, rehearsalCharts } from '@dramaturg/testing';
import { conversationLifecycle, lifecycle, workflowLifecycle } from '@dramaturg/lifecycle';
import type { Mission } from './protocol.ts';

/** A workflow that asks people in a branch, in two items, and in two runs of another workflow: five decisions. */
const review = {
  StartAt: 'All',
  States: {
    All: {
      Type: 'Parallel',
      Branches: [
        { StartAt: 'Ask', States: { Ask: { Type: 'Approval', Prompt: 'Branch?', End: true } } },
        {
          StartAt: 'Items',
          States: {
            Items: {
              Type: 'Map',
              ItemsPath: '$.items',
              MaxConcurrency: 0,
              Iterator: {
                StartAt: 'AskItem',
                States: { AskItem: { Type: 'Approval', Prompt: 'Item?', End: true } },
              },
              End: true,
            },
          },
        },
        {
          StartAt: 'Keep',
          States: {
            Keep: { Type: 'Checkpoint', Name: 'begun', Next: 'First' },
            First: { Type: 'Workflow', WorkflowId: 'opinion', ResultPath: null, Next: 'Second' },
            Second: { Type: 'Task', Agent: 'workflow:opinion', End: true },
          },
        },
      ],
      Next: 'Send',
    },
    Send: { Type: 'Task', Agent: 'send', End: true },
  },
};

/** The counts for a review with two items. */
export const reviewCounts = { own: 3, children: 2, ownCalls: 1, callsOfChild: 1 } as const;

/** Two parallel debates. In one, the agents speak in turn. In the other, all agents of a round speak at the same time. */
const debate = {
  StartAt: 'Both',
  States: {
    Both: {
      Type: 'Parallel',
      Branches: [
        {
          StartAt: 'Turns',
          States: {
            Turns: { Type: 'Debate', Agents: ['ana', 'ben'], Topic: 'Tea?', Rounds: 3, End: true },
          },
        },
        {
          StartAt: 'Together',
          States: {
            Together: {
              Type: 'Debate',
              Agents: ['ana', 'ben'],
              Topic: 'Coffee?',
              Rounds: 3,
              Communication: { Style: 'simultaneous' },
              End: true,
            },
          },
        },
      ],
      End: true,
    },
  },
};

/** The expected turns of both debates, in order. */
export const debateTurns = {
  states: ['Turns', 'Together'],
  turns: ['1 ana', '1 ben', '2 ana', '2 ben', '3 ana', '3 ben'],
} as const;

/** Long chains of states without calls, and nested lists of such chains: a step runs only a part of them. */
const heap = chain('Outer', 200, {
  Type: 'Map',
  ItemsPath: '$.outer',
  MaxConcurrency: 2,
  ItemProcessor: chain('Inner', 2, {
    Type: 'Map',
    ItemsPath: '$.inner',
    MaxConcurrency: 0,
    ItemProcessor: chain('Item', 2, { Type: 'Pass' }),
  }),
});

/** A chain of this many states that pass their input on, and a last one. */
function chain(name: string, length: number, last: object) {
  const passes = Array.from({ length }, (_, index) => [
    `${name}${index}`,
    { Type: 'Pass', Next: index + 1 === length ? name : `${name}${index + 1}` },
  ]);
  return {
    StartAt: `${name}0`,
    States: { ...Object.fromEntries(passes), [name]: { ...last, End: true } },
  };
}

/** The number of tasks of an order with three parts. */
export const orderTaskCount = 5;

/** The definitions of a host, as they are sent to it. They are compiled once, because hosts start again and again. */
export const definitions: Mission['definitions'] = {
  lifecycles: {
    conversation: chartOf(conversationLifecycle, lifecycle),
    workflow: chartOf(workflowLifecycle, lifecycle),
  },
  flows: {
    chat: { chart: rehearsalCharts.chat, lifecycle: 'conversation' },
    job: { chart: rehearsalCharts.job, lifecycle: 'workflow' },
    review: { chart: chartOf(review, asl), lifecycle: 'workflow' },
    opinion: { chart: chartOf(opinionWorkflow(), asl), lifecycle: 'workflow' },
    debate: { chart: chartOf(debate, asl), lifecycle: 'workflow' },
    heap: { chart: chartOf(heap, asl), lifecycle: 'workflow' },
    order: { chart: chartOf(orderWorkflow({ pauseSeconds: 1 }), asl), lifecycle: 'workflow' },
  },
};
