import { problem } from '@dramaturg/compiler/format';
import { didYouMean, quotedList } from '@dramaturg/compiler/text';

export const noStates = problem('plan/no-states', 'error', () => ({
  message: 'The plan has no states.',
  hint: 'Add at least one state: { "id": "greeting", "title": "Greeting", "tasks": [] }.',
}));

export const tooMany = problem('plan/too-many', 'error', (count: number, limit: number) => ({
  message: `This list has ${count} entries. The limit is ${limit}.`,
  hint: 'Split it into several plans.',
}));

export const duplicateState = problem('plan/duplicate-state', 'error', (id: string) => ({
  message: `There is more than one state "${id}".`,
  hint: 'Give each state an id of its own.',
}));

export const unknownInitialState = problem(
  'plan/unknown-initial-state',
  'error',
  (id: string, known: readonly string[]) => ({
    message: `The plan begins in the state "${id}", which does not exist.`,
    hint: () =>
      didYouMean(id, known) ?? 'Leave "initial_state_id" out to begin in the first state.',
  }),
);

export const reservedId = problem('plan/reserved-id', 'error', (what: string, id: string) => ({
  message: `"${id}" is a reserved name and cannot be the ${what}.`,
  hint: 'Choose another name.',
}));

export const unknownStateType = problem(
  'plan/unknown-state-type',
  'warning',
  (type: string) => ({
    message: `There is no state type "${type}", so the state is treated as loose.`,
    hint: () =>
      didYouMean(type, ['strict', 'loose', 'goal', 'sequential', 'flexible']) ??
      'The types are strict, loose and goal.',
  }),
  { misread: true },
);

export const unknownSpawnMode = problem('plan/unknown-spawn-mode', 'warning', (mode: string) => ({
  message: `There is no spawn mode "${mode}", so the agent speaks first, as with "immediate".`,
  hint: () => didYouMean(mode, ['immediate', 'on_demand']) ?? 'Write "immediate" or "on_demand".',
}));

export const missingTitle = problem('plan/missing-title', 'warning', (what: string) => ({
  message: `${what} has no title, so people see its id.`,
  hint: 'Add "title": "...".',
}));

export const noWayToTheEnd = problem(
  'plan/no-way-to-the-end',
  'warning',
  (states: readonly string[]) => ({
    message: `From ${quotedList(states)} the conversation can never reach an end.`,
    hint: 'Add a transition towards "__end__" or a state without transitions.',
  }),
  { misread: true },
);

export const endsHere = problem('plan/ends-here', 'info', (id: string) => ({
  message: `The state "${id}" has no transitions: the conversation ends when it is complete.`,
}));

export const automaticTransitions = problem('plan/automatic-transitions', 'info', () => ({
  message:
    'No state has transitions, so each state leads to the next one in the list when it is complete.',
}));

export const bareStates = problem('plan/bare-states', 'info', (count: number) => ({
  message:
    count === 1
      ? 'This is a state without a plan around it. It is compiled as a plan with one state.'
      : 'These are states without a plan around them. They are compiled as a plan.',
  hint: 'Write { "id": ..., "title": ..., "states": [...] } to name the plan.',
}));

export const endByMetadata = problem('plan/end-by-metadata', 'info', (id: string) => ({
  message: `The builder's metadata marks the state "${id}" as an end, so it leads to "__end__" when it is complete.`,
}));

export const unknownEndState = problem(
  'plan/unknown-end-state',
  'warning',
  (id: string, known: readonly string[]) => ({
    message: `The builder's metadata marks the state "${id}" as an end, but there is no such state.`,
    hint: () => didYouMean(id, known) ?? 'Remove it from "end_state_ids".',
  }),
);

export const loop = problem('plan/loop', 'warning', (states: readonly string[]) => ({
  message: `These states lead back to each other: ${quotedList(states)}.`,
  hint: 'Check that this is meant: on each return the tasks start again, and their questions are asked again.',
}));

export const taskNeverAsked = problem(
  'plan/task-never-asked',
  'warning',
  (task: string, key: string) => ({
    message: `Nobody is asked for the task "${task}": the state is left as soon as "${key}" is known, which comes before.`,
    hint: `For example, after an answer for "${key}" the conversation is in another state. Let the transition wait for all tasks, or move the task.`,
  }),
);
