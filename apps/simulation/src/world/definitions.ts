import { asl } from '@dramaturg/asl';
import type { Behaviour } from '@dramaturg/compiler/machine';
import { contextGraph } from '@dramaturg/context-graph';
import type { Definition } from '@dramaturg/host';
import {
  chartOf,
  opinionWorkflow,
  orderWorkflow,
  rehearsalBehaviour,
  rehearsalCharts,
} from '@dramaturg/testing';
import { conversationLifecycle, lifecycle, workflowLifecycle } from '@dramaturg/lifecycle';
import { npc } from '@dramaturg/npc';
import { plan } from '@dramaturg/plan';

/** A plan that runs until the contact says goodbye. */
const intake = {
  id: 'intake',
  states: [
    {
      id: 'intake',
      tasks: [{ id: 'topic', deliverables: [{ key: 'topic', type: 'string' }] }],
    },
  ],
};

const keeper = {
  persona: { name: 'Maren', persona_identity_prompt: 'You keep a light.' },
  machines: [
    {
      machine_key: 'shelter',
      creator_objective: 'Find out whether the stranger can be trusted.',
      states: [
        {
          state_key: 'door',
          label: 'At the door',
          prompt_instruction: 'Ask who is there.',
          is_initial_state: true,
        },
        {
          state_key: 'room',
          label: 'A room upstairs',
          prompt_instruction: 'Hand over the lamp.',
          is_terminal_state: true,
        },
      ],
      transitions: [
        { from_state_key: 'door', to_state_key: 'room', decision_type: 'pass' },
        { from_state_key: 'door', to_state_key: 'room', decision_type: 'kick_out' },
      ],
    },
  ],
};

const nothing = {
  intra_state_navigation_guidelines: [],
  action_guidelines: [],
  boundary_constraints: [],
};

const support = {
  description: 'Support.',
  new_user_initial_state: 'greeting',
  returning_user_initial_state: 'greeting',
  terminal_state: 'goodbye',
  references: {},
  global_intra_state_navigation_guidelines: [],
  global_action_guidelines: [],
  global_boundary_constraints: [],
  states: [
    {
      type: 'action',
      name: 'greeting',
      objective: 'Understand what is wrong',
      actions: ['Ask what is wrong'],
      ...nothing,
      exit_conditions: [{ description: 'The issue is described', next_state: 'analyze' }],
    },
    { type: 'reflection', name: 'analyze', problem: 'Why?', word_limit: 9, next_state: 'advice' },
    {
      type: 'action',
      name: 'advice',
      objective: 'Help',
      actions: ['Advise'],
      ...nothing,
      exit_conditions: [
        { description: 'There is another issue', next_state: 'greeting' },
        { description: 'It is solved', next_state: 'goodbye' },
      ],
    },
    {
      type: 'action',
      name: 'goodbye',
      objective: 'Close',
      actions: ['Say goodbye'],
      ...nothing,
      exit_conditions: [],
    },
  ],
};

/** Retries a task that fails or takes too long, for hours. */
const patient = {
  TimeoutSeconds: 300,
  Retry: [{ ErrorEquals: ['States.ALL'], IntervalSeconds: 60, MaxAttempts: 1_000, BackoffRate: 1 }],
};

/** A workflow that asks a person in a branch, and in two runs of another workflow: three decisions. It keeps a save point. */
const review = {
  StartAt: 'Keep',
  States: {
    Keep: { Type: 'Checkpoint', Name: 'begun', Next: 'All' },
    All: {
      Type: 'Parallel',
      Branches: [
        { StartAt: 'Ask', States: { Ask: { Type: 'Approval', Prompt: 'Branch?', End: true } } },
        {
          StartAt: 'First',
          States: {
            First: { Type: 'Workflow', WorkflowId: 'opinion', ResultPath: null, Next: 'Second' },
            Second: { Type: 'Task', Agent: 'workflow:opinion', End: true },
          },
        },
      ],
      Next: 'Publish',
    },
    Publish: { Type: 'Task', Agent: 'publish', ...patient, End: true },
  },
};

/** Nested lists of items without calls, and a chain of states: one step runs only a part of it. */
const heap = {
  StartAt: 'Chain1',
  States: {
    ...Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [
        `Chain${index + 1}`,
        { Type: 'Pass', Next: index < 19 ? `Chain${index + 2}` : 'Outer' },
      ]),
    ),
    Outer: {
      Type: 'Map',
      ItemsPath: '$.outer',
      MaxConcurrency: 1,
      ItemProcessor: {
        StartAt: 'Inner',
        States: {
          Inner: {
            Type: 'Map',
            ItemsPath: '$.inner',
            MaxConcurrency: 0,
            ItemProcessor: { StartAt: 'Do', States: { Do: { Type: 'Pass', End: true } } },
            End: true,
          },
        },
      },
      End: true,
    },
  },
};

/** A custom lifecycle, moved by events from outside. */
const parcel = {
  initial: 'ORDERED',
  terminal: ['DELIVERED', 'RETURNED'],
  states: ['ORDERED', 'PACKED', 'LOST', 'DELIVERED', 'RETURNED'],
  transitions: {
    ORDERED: { pack: 'PACKED', cancel: 'RETURNED' },
    PACKED: { 'hand over': 'DELIVERED', lose: 'LOST', cancel: 'RETURNED' },
    LOST: { find: null, cancel: 'RETURNED' },
  },
};

const conversation = chartOf(conversationLifecycle, lifecycle);
const workflow = chartOf(workflowLifecycle, lifecycle);

/** The conversations of the crowd. All but the first have their own format. */
export const conversationNames = ['chat', 'intake', 'keeper', 'support'] as const;

export const definitions: readonly Definition[] = [
  { name: 'chat', chart: rehearsalCharts.chat, lifecycle: conversation },
  { name: 'intake', chart: chartOf(intake, plan), lifecycle: conversation },
  { name: 'keeper', chart: chartOf(keeper, npc), lifecycle: conversation },
  { name: 'support', chart: chartOf(support, contextGraph), lifecycle: conversation },
  {
    name: 'order',
    chart: chartOf(orderWorkflow({ pauseSeconds: 86_400, task: patient }), asl),
    lifecycle: workflow,
  },
  { name: 'review', chart: chartOf(review, asl), lifecycle: workflow },
  { name: 'opinion', chart: chartOf(opinionWorkflow(patient), asl), lifecycle: workflow },
  { name: 'heap', chart: chartOf(heap, asl), lifecycle: workflow },
  { name: 'parcel', chart: chartOf(parcel, lifecycle), lifecycle: 'own' },
];

export const behaviours: ReadonlyMap<string, Behaviour> = new Map([
  ['rehearsal', rehearsalBehaviour],
  ...[plan, npc, contextGraph, asl, lifecycle].map(({ name, behaviour }): [string, Behaviour] => [
    name,
    behaviour,
  ]),
]);
