import { problemsOf } from '@dramaturg/compiler/format';
import { didYouMean, quotedList } from '@dramaturg/compiler/text';

const { error, info, misread, warning } = problemsOf('plan');

export const noStates = error('no-states', () => ({
  message: 'The plan has no states.',
  hint: 'Add at least one state: { "id": "greeting", "title": "Greeting", "tasks": [] }.',
}));

export const tooMany = error('too-many', (count: number, limit: number) => ({
  message: `This list has ${count} entries. The limit is ${limit}.`,
  hint: 'Split it into several plans.',
}));

export const duplicateState = error('duplicate-state', (id: string) => ({
  message: `There is more than one state "${id}".`,
  hint: 'Give each state an id of its own.',
}));

export const unknownInitialState = error(
  'unknown-initial-state',
  (id: string, known: readonly string[]) => ({
    message: `The plan begins in the state "${id}", which does not exist.`,
    hint: () =>
      didYouMean(id, known) ?? 'Leave "initial_state_id" out to begin in the first state.',
  }),
);

export const reservedId = error('reserved-id', (what: string, id: string) => ({
  message: `"${id}" is a reserved name and cannot be the ${what}.`,
  hint: 'Choose another name.',
}));

export const unknownStateType = misread('unknown-state-type', (type: string) => ({
  message: `There is no state type "${type}", so the state is treated as loose.`,
  hint: () =>
    didYouMean(type, ['strict', 'loose', 'goal', 'sequential', 'flexible']) ??
    'The types are strict, loose and goal.',
}));

export const unknownSpawnMode = warning('unknown-spawn-mode', (mode: string) => ({
  message: `There is no spawn mode "${mode}", so the agent speaks first, as with "immediate".`,
  hint: () => didYouMean(mode, ['immediate', 'on_demand']) ?? 'Write "immediate" or "on_demand".',
}));

export const missingTitle = warning('missing-title', (what: string) => ({
  message: `${what} has no title, so people see its id.`,
  hint: 'Add "title": "...".',
}));

export const noWayToTheEnd = misread('no-way-to-the-end', (states: readonly string[]) => ({
  message: `From ${quotedList(states)} the conversation can never reach an end.`,
  hint: 'Add a transition towards "__end__" or a state without transitions.',
}));

export const endsHere = info('ends-here', (id: string) => ({
  message: `The state "${id}" has no transitions: the conversation ends when it is complete.`,
}));

export const automaticTransitions = info('automatic-transitions', () => ({
  message:
    'No state has transitions, so each state leads to the next one in the list when it is complete.',
}));

export const bareStates = info('bare-states', (count: number) => ({
  message:
    count === 1
      ? 'This is a state without a plan around it. It is compiled as a plan with one state.'
      : 'These are states without a plan around them. They are compiled as a plan.',
  hint: 'Write { "id": ..., "title": ..., "states": [...] } to name the plan.',
}));

export const endByMetadata = info('end-by-metadata', (id: string) => ({
  message: `The builder's metadata marks the state "${id}" as an end, so it leads to "__end__" when it is complete.`,
}));

export const unknownEndState = warning(
  'unknown-end-state',
  (id: string, known: readonly string[]) => ({
    message: `The builder's metadata marks the state "${id}" as an end, but there is no such state.`,
    hint: () => didYouMean(id, known) ?? 'Remove it from "end_state_ids".',
  }),
);

export const loop = warning('loop', (states: readonly string[]) => ({
  message: `These states lead back to each other: ${quotedList(states)}.`,
  hint: 'Check that this is meant: on each return the tasks start again, and their questions are asked again.',
}));

export const taskNeverAsked = warning('task-never-asked', (task: string, key: string) => ({
  message: `Nobody is asked for the task "${task}": the state is left as soon as "${key}" is known, which comes before.`,
  hint: `For example, after an answer for "${key}" the conversation is in another state. Let the transition wait for all tasks, or move the task.`,
}));
