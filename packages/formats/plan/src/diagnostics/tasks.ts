import { problem } from '@dramaturg/compiler/format';
import { didYouMean } from '@dramaturg/compiler/text';

export const duplicateTask = problem(
  'plan/duplicate-task',
  'error',
  (id: string, state: string) => ({
    message: `The state "${state}" has more than one task "${id}".`,
    hint: 'Give each task of a state an id of its own.',
  }),
);

export const sharedTaskId = problem('plan/shared-task-id', 'info', (id: string, state: string) => ({
  message: `The state "${state}" also has a task "${id}". They are two separate tasks.`,
}));

export const duplicateKey = problem('plan/duplicate-deliverable', 'warning', (key: string) => ({
  message: `This task has more than one deliverable "${key}".`,
  hint: 'Keep one of them: both are the same value.',
}));

export const sharedKey = problem(
  'plan/shared-deliverable',
  'info',
  (key: string, what: 'state' | 'task', id: string) => ({
    message: `The ${what} "${id}" also collects "${key}". It is one value for the whole conversation.`,
  }),
);

export const conflictingTypes = problem(
  'plan/conflicting-types',
  'warning',
  (key: string, here: string, elsewhere: string) => ({
    message: `"${key}" is ${here} here and ${elsewhere} elsewhere, but it is one value.`,
    hint: 'Declare it with the same type everywhere, or give one of them another key.',
  }),
);

export const unknownDeliverableType = problem(
  'plan/unknown-deliverable-type',
  'warning',
  (type: string) => ({
    message: `There is no deliverable type "${type}", so it is treated as string.`,
    hint: () =>
      didYouMean(type, ['string', 'number', 'boolean', 'enum', 'list']) ??
      'The types are string, number, boolean, enum and list.',
  }),
  { misread: true },
);

export const missingKey = problem('plan/missing-key', 'error', () => ({
  message: 'This deliverable has no key.',
  hint: 'Add "key": the name under which the value is stored.',
}));

export const deliverablesOutsideTask = problem(
  'plan/deliverables-outside-task',
  'warning',
  (state: string) => ({
    message: `The deliverables of the state "${state}" belong to no task, so they are never collected.`,
    hint: 'Move them into a task in "tasks".',
  }),
);

export const enumWithoutValues = problem('plan/enum-without-values', 'error', (key: string) => ({
  message: `The deliverable "${key}" is an enum without values.`,
  hint: 'Add "enum_values": ["first", "second"], or make it a string.',
}));

export const badPattern = problem(
  'plan/bad-pattern',
  'error',
  (pattern: string, because: string) => ({
    message: `The pattern ${JSON.stringify(pattern)} cannot be used: ${because}`,
    hint: 'Write a regular expression of JavaScript without lookarounds and references to groups.',
  }),
);

export const emptyRange = problem(
  'plan/empty-range',
  'error',
  (least: string, most: string, key: string) => ({
    message: `No value of "${key}" fits: its "${least}" is above its "${most}".`,
    hint: 'Exchange the two, or leave one of them out.',
  }),
);

export const exampleDoesNotFit = problem(
  'plan/example-does-not-fit',
  'warning',
  (key: string, example: string, because: string) => ({
    message: `The example ${JSON.stringify(example)} of "${key}" would be refused: ${because}.`,
    hint: 'Change the example or the limits of the deliverable.',
  }),
);

export const limitWithoutEffect = problem(
  'plan/limit-without-effect',
  'warning',
  (limit: string, type: string, types: readonly string[]) => ({
    message: `"${limit}" has no effect on a value of type ${type}.`,
    hint: `Remove it, or change "type": it is for ${types.join(' and ')}.`,
  }),
);

export const agentMayFulfil = problem('plan/agent-may-fulfil', 'info', (key: string) => ({
  message: `The person is asked for "${key}", which seems to be what the agent does.`,
  hint: 'If the agent fulfils it by what it says, add "source": "agent".',
}));

export const requiredInOptional = problem(
  'plan/required-in-optional',
  'warning',
  (key: string, task: string) => ({
    message: `"${key}" is required, but its task "${task}" is optional: the conversation may move on without it.`,
    hint: 'Make the task required, or the deliverable optional.',
  }),
);

export const goalOutsideGoalState = problem(
  'plan/goal-outside-goal-state',
  'warning',
  (state: string) => ({
    message: `The state "${state}" has a goal but is not of type goal, so the goal is ignored.`,
    hint: 'Set "type": "goal".',
  }),
  { misread: true },
);

export const goalWithoutObjective = problem(
  'plan/goal-without-objective',
  'warning',
  (state: string) => ({
    message: `The goal state "${state}" does not say what its goal is.`,
    hint: 'Add "goal": { "objective": "..." }.',
  }),
);

export const selectWithoutOptions = problem(
  'plan/select-without-options',
  'error',
  (id: string) => ({
    message: `The session field "${id}" is a select without options.`,
    hint: 'Add "options": ["first", "second"].',
  }),
);

export const impossibleDefault = problem(
  'plan/impossible-default',
  'warning',
  (id: string, value: string, possible: string) => ({
    message: `The default of the session field "${id}" must be ${possible}, and it is ${value}.`,
  }),
);

export const duplicateField = problem('plan/duplicate-field', 'error', (id: string) => ({
  message: `There is more than one session field "${id}".`,
  hint: 'Give each field an id of its own.',
}));

export const unknownContextField = problem(
  'plan/unknown-context-field',
  'warning',
  (field: string, known: readonly string[]) => ({
    message: `The session context has no field "${field}", so it is ignored.`,
    hint: () => didYouMean(field, known) ?? `Remove it. The fields are ${known.join(', ')}.`,
  }),
);
