import { didYouMean, problem } from '@dramaturg/compiler';

export const duplicateTask = problem(
  'plan/duplicate-task',
  'error',
  (id: string, state: string) => ({
    message: `The state "${state}" has more than one task "${id}".`,
    hint: 'Give each task of a state an id of its own.',
  }),
);

export const sharedTaskId = problem('plan/shared-task-id', 'info', (id: string, state: string) => ({
  message: `The state "${state}" has a task "${id}" too; the two are done separately.`,
}));

export const duplicateKey = problem('plan/duplicate-deliverable', 'warning', (key: string) => ({
  message: `This task has more than one deliverable "${key}".`,
  hint: 'Keep one of them: they are the same value.',
}));

export const sharedKey = problem(
  'plan/shared-deliverable',
  'info',
  (key: string, what: 'state' | 'task', id: string) => ({
    message: `The ${what} "${id}" collects "${key}" too: it is one value for the whole conversation.`,
  }),
);

export const conflictingTypes = problem(
  'plan/conflicting-types',
  'warning',
  (key: string, here: string, elsewhere: string) => ({
    message: `"${key}" is ${here} here and ${elsewhere} elsewhere, and it is one value.`,
    hint: 'Declare it alike everywhere, or give one of them another key.',
  }),
);

export const unknownDeliverableType = problem(
  'plan/unknown-deliverable-type',
  'warning',
  (type: string) => ({
    message: `There is no deliverable type "${type}"; it is treated as string.`,
    hint: () =>
      didYouMean(type, ['string', 'number', 'boolean', 'enum']) ??
      'The types are string, number, boolean and enum.',
  }),
  { misread: true },
);

export const missingKey = problem('plan/missing-key', 'error', () => ({
  message: 'This deliverable has no key.',
  hint: 'Add "key": the name under which the value is kept.',
}));

export const deliverablesOutsideTask = problem(
  'plan/deliverables-outside-task',
  'warning',
  (state: string) => ({
    message: `The deliverables of the state "${state}" belong to no task, so nobody collects them.`,
    hint: 'Put them into a task of "tasks".',
  }),
);

export const enumWithoutValues = problem('plan/enum-without-values', 'error', (key: string) => ({
  message: `The deliverable "${key}" is an enum without values.`,
  hint: 'Add "enum_values": ["first", "second"], or make it a string.',
}));

export const requiredInOptional = problem(
  'plan/required-in-optional',
  'warning',
  (key: string, task: string) => ({
    message: `"${key}" is required, but its task "${task}" is optional: the state may be left without it.`,
    hint: 'Make the task required, or the deliverable optional.',
  }),
);

export const goalOutsideGoalState = problem(
  'plan/goal-outside-goal-state',
  'warning',
  (state: string) => ({
    message: `The state "${state}" has a goal but is not of type goal: the goal is not pursued.`,
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
    message: `The default of the session field "${id}" is ${value}, and it must be ${possible}.`,
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
    message: `The session context has no field "${field}", so what it says is ignored.`,
    hint: () => didYouMean(field, known) ?? `Remove it: the fields are ${known.join(', ')}.`,
  }),
);
