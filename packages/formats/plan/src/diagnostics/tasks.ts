import { problemsOf } from '@dramaturg/compiler/format';
import { didYouMean } from '@dramaturg/compiler/text';

const { error, info, misread, warning } = problemsOf('plan');

export const duplicateTask = error('duplicate-task', (id: string, state: string) => ({
  message: `The state "${state}" has more than one task "${id}".`,
  hint: 'Give each task of a state an id of its own.',
}));

export const sharedTaskId = info('shared-task-id', (id: string, state: string) => ({
  message: `The state "${state}" also has a task "${id}". They are two separate tasks.`,
}));

export const duplicateKey = warning('duplicate-deliverable', (key: string) => ({
  message: `This task has more than one deliverable "${key}".`,
  hint: 'Keep one of them: both are the same value.',
}));

export const sharedKey = info(
  'shared-deliverable',
  (key: string, what: 'state' | 'task', id: string) => ({
    message: `The ${what} "${id}" also collects "${key}". It is one value for the whole conversation.`,
  }),
);

export const conflictingTypes = warning(
  'conflicting-types',
  (key: string, here: string, elsewhere: string) => ({
    message: `"${key}" is ${here} here and ${elsewhere} elsewhere, but it is one value.`,
    hint: 'Declare it with the same type everywhere, or give one of them another key.',
  }),
);

export const unknownDeliverableType = misread('unknown-deliverable-type', (type: string) => ({
  message: `There is no deliverable type "${type}", so it is treated as string.`,
  hint: () =>
    didYouMean(type, ['string', 'number', 'boolean', 'enum', 'list']) ??
    'The types are string, number, boolean, enum and list.',
}));

export const missingKey = error('missing-key', () => ({
  message: 'This deliverable has no key.',
  hint: 'Add "key": the name under which the value is stored.',
}));

export const deliverablesOutsideTask = warning('deliverables-outside-task', (state: string) => ({
  message: `The deliverables of the state "${state}" belong to no task, so they are never collected.`,
  hint: 'Move them into a task in "tasks".',
}));

export const enumWithoutValues = error('enum-without-values', (key: string) => ({
  message: `The deliverable "${key}" is an enum without values.`,
  hint: 'Add "enum_values": ["first", "second"], or make it a string.',
}));

export const badPattern = error('bad-pattern', (pattern: string, because: string) => ({
  message: `The pattern ${JSON.stringify(pattern)} cannot be used: ${because}`,
  hint: 'Write a regular expression of JavaScript without lookarounds and references to groups.',
}));

export const emptyRange = error('empty-range', (least: string, most: string, key: string) => ({
  message: `No value of "${key}" fits: its "${least}" is above its "${most}".`,
  hint: 'Exchange the two, or leave one of them out.',
}));

export const exampleDoesNotFit = warning(
  'example-does-not-fit',
  (key: string, example: string, because: string) => ({
    message: `The example ${JSON.stringify(example)} of "${key}" would be refused: ${because}.`,
    hint: 'Change the example or the limits of the deliverable.',
  }),
);

export const limitWithoutEffect = warning(
  'limit-without-effect',
  (limit: string, type: string, types: readonly string[]) => ({
    message: `"${limit}" has no effect on a value of type ${type}.`,
    hint: `Remove it, or change "type": it is for ${types.join(' and ')}.`,
  }),
);

export const agentMayFulfil = info('agent-may-fulfil', (key: string) => ({
  message: `The person is asked for "${key}", which seems to be what the agent does.`,
  hint: 'If the agent fulfils it by what it says, add "source": "agent".',
}));

export const requiredInOptional = warning('required-in-optional', (key: string, task: string) => ({
  message: `"${key}" is required, but its task "${task}" is optional: the conversation may move on without it.`,
  hint: 'Make the task required, or the deliverable optional.',
}));

export const goalOutsideGoalState = misread('goal-outside-goal-state', (state: string) => ({
  message: `The state "${state}" has a goal but is not of type goal, so the goal is ignored.`,
  hint: 'Set "type": "goal".',
}));

export const goalWithoutObjective = warning('goal-without-objective', (state: string) => ({
  message: `The goal state "${state}" does not say what its goal is.`,
  hint: 'Add "goal": { "objective": "..." }.',
}));

export const selectWithoutOptions = error('select-without-options', (id: string) => ({
  message: `The session field "${id}" is a select without options.`,
  hint: 'Add "options": ["first", "second"].',
}));

export const impossibleDefault = warning(
  'impossible-default',
  (id: string, value: string, possible: string) => ({
    message: `The default of the session field "${id}" must be ${possible}, and it is ${value}.`,
  }),
);

export const duplicateField = error('duplicate-field', (id: string) => ({
  message: `There is more than one session field "${id}".`,
  hint: 'Give each field an id of its own.',
}));

export const unknownContextField = warning(
  'unknown-context-field',
  (field: string, known: readonly string[]) => ({
    message: `The session context has no field "${field}", so it is ignored.`,
    hint: () => didYouMean(field, known) ?? `Remove it. The fields are ${known.join(', ')}.`,
  }),
);
