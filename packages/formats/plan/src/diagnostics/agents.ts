import { definitionProblems } from '@dramaturg/conversation';
import { problemsOf } from '@dramaturg/compiler/format';
import { didYouMean } from '@dramaturg/compiler/text';

const { error, warning } = problemsOf('plan');

export const { unknownDefinition, cycleOfStarts } = definitionProblems('plan');

export const emptyAgent = error('empty-agent', (what: string) => ({
  message: `The ${what} has no name.`,
  hint: 'Name an agent of your program, or a definition: "workflow:booking".',
}));

export const fieldWithoutAgent = warning('field-without-agent', (field: string, task: string) => ({
  message: `"${field}" has no effect: no agent does the task "${task}".`,
  hint: 'Add "agent", or remove it.',
}));

export const unknownValue = error('unknown-value', (key: string, known: readonly string[]) => ({
  message: `There is no deliverable "${key}", so {{${key}}} never has a value.`,
  hint: () => didYouMean(key, known) ?? 'Declare it in a task, or remove the placeholder.',
}));

export const unknownResult = error(
  'unknown-result',
  (key: string, task: string, known: readonly string[]) => ({
    message: `The task "${task}" has no deliverable "${key}".`,
    hint: () => didYouMean(key, known) ?? 'Add it to the deliverables of the task.',
  }),
);

export const agentInGoalState = error('agent-in-goal-state', (task: string) => ({
  message: `The task "${task}" is in a goal state, where completing a task has no effect.`,
  hint: 'Move it to a strict or loose state.',
}));

export const startsItself = error('starts-itself', (name: string) => ({
  message: `"${name}" is this plan: it would start itself again and again.`,
  hint: 'Name another definition, or use the target "__restart__".',
}));

export const unknownFailedTask = error(
  'unknown-failed-task',
  (task: string, known: readonly string[]) => ({
    message: `No agent does a task "${task}" here, so this condition never holds.`,
    hint: () => didYouMean(task, known) ?? 'Name a task of the state that has an "agent".',
  }),
);

export const unknownOutcome = error(
  'unknown-outcome',
  (outcome: string, known: readonly string[]) => ({
    message: `The plan never ends with the outcome "${outcome}".`,
    hint: () => didYouMean(outcome, known) ?? `The outcomes are ${known.join(', ')}.`,
  }),
);
