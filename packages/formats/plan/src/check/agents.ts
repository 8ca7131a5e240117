import type { Path } from '@dramaturg/compiler';
import { didYouMean } from '@dramaturg/compiler/text';
import { createDefinitionCheck, valuesAskedFor } from '@dramaturg/conversation';
import { eachCondition } from '../conditions/condition.ts';
import { outcomesOf } from '../data-types.ts';
import type { PlanRule, State, Task } from '../definition.ts';
import { allDeliverables, keysOf } from '../plan-graph.ts';
import { error, warning } from '../problems.ts';

type Context = Parameters<PlanRule>[0];

const unknownOutcome = error('unknown-outcome', (outcome: string, known: readonly string[]) => ({
  message: `The plan never ends with the outcome "${outcome}".`,
  hint: () => didYouMean(outcome, known) ?? `The outcomes are ${known.join(', ')}.`,
}));

const reportDefinitions = createDefinitionCheck({ warning });

/** Reports mistakes in the tasks of agents, and in the definitions started at the end. Spec: docs/formats/plan.md#agents */
export const agents: PlanRule = (context) => {
  const { definition, options, report } = context;
  reportDefinitions(options.unknownDefinitions, report);
  for (const state of definition.states) {
    for (const task of state.tasks) checkTask(task, state, context);
    checkFailures(state.transitions, state.tasks, context);
  }
  const all = definition.states.flatMap(({ tasks }) => tasks);
  checkFailures(definition.transitions ?? [], all, context);
  const { on_end: onEnd } = definition;
  if (!onEnd) return;
  checkName(onEnd.start, 'start', ['on_end'], context);
  checkValues(onEnd.input, ['on_end', 'input'], context);
  const outcomes = outcomesOf(definition);
  for (const [index, outcome] of (onEnd.outcomes ?? []).entries())
    if (!outcomes.includes(outcome))
      report(unknownOutcome(outcome, outcomes), ['on_end', 'outcomes', index]);
};

const fieldWithoutAgent = warning('field-without-agent', (field: string, task: string) => ({
  message: `"${field}" has no effect: no agent does the task "${task}".`,
  hint: 'Add "agent", or remove it.',
}));

const agentInGoalState = error('agent-in-goal-state', (task: string) => ({
  message: `The task "${task}" is in a goal state, where completing a task has no effect.`,
  hint: 'Move it to a strict or loose state.',
}));

const unknownResult = error(
  'unknown-result',
  (key: string, task: string, known: readonly string[]) => ({
    message: `The task "${task}" has no deliverable "${key}".`,
    hint: () => didYouMean(key, known) ?? 'Add it to the deliverables of the task.',
  }),
);

function checkTask(task: Task, { type }: State, context: Context): void {
  const { report } = context;
  const { id, agent, input, results, deliverables, at } = task;
  if (agent === undefined) {
    const follows = [[...at, 'agent']];
    for (const [field, value] of Object.entries({ input, results }))
      if (value !== undefined)
        report(fieldWithoutAgent(field, id), [...at, field], { at: 'key', follows });
    return;
  }
  checkName(agent, 'agent', at, context);
  if (type === 'goal') report(agentInGoalState(id), [...at, 'agent']);
  checkValues(input, [...at, 'input'], context);
  const keys = deliverables.map(({ key }) => key);
  for (const key of Object.keys(results ?? {}))
    if (!keys.includes(key))
      report(unknownResult(key, id, keys), [...at, 'results', key], { at: 'key' });
}

const emptyAgent = error('empty-agent', (what: string) => ({
  message: `The ${what} has no name.`,
  hint: 'Name an agent of your program, or a definition: "workflow:booking".',
}));

const startsItself = error('starts-itself', (name: string) => ({
  message: `"${name}" is this plan: it would start itself again and again.`,
  hint: 'Name another definition, or use the target "__restart__".',
}));

function checkName(name: string, field: string, at: Path, { definition, report }: Context): void {
  const about = { about: [[...at, field]] };
  if (name.trim() === '') report(emptyAgent(field), at, about);
  else if (name === `plan:${definition.id}`) report(startsItself(name), [...at, field]);
}

const unknownValue = error('unknown-value', (key: string, known: readonly string[]) => ({
  message: `There is no deliverable "${key}", so {{${key}}} never has a value.`,
  hint: () => didYouMean(key, known) ?? 'Declare it in a task, or remove the placeholder.',
}));

function checkValues(input: unknown, at: Path, { definition, report }: Context): void {
  const known = allDeliverables(definition).map(({ key }) => key);
  for (const { name, at: place } of valuesAskedFor(input))
    if (!known.includes(name))
      report(unknownValue(name, known), [...at, ...place], { follows: keysOf(definition) });
}

const unknownFailedTask = error(
  'unknown-failed-task',
  (task: string, known: readonly string[]) => ({
    message: `No agent does a task "${task}" here, so this condition never holds.`,
    hint: () => didYouMean(task, known) ?? 'Name a task of the state that has an "agent".',
  }),
);

function checkFailures(
  transitions: State['transitions'],
  tasks: readonly Task[],
  { report }: Context,
): void {
  const known = tasks.flatMap(({ id, agent }) => (agent === undefined ? [] : [id]));
  for (const { condition } of transitions)
    for (const one of condition ? eachCondition(condition) : []) {
      if (one.type !== 'task_failed') continue;
      const { task_id: id, paths } = one;
      if (id === undefined ? known.length === 0 : !known.includes(id))
        report(unknownFailedTask(id ?? '', known), paths!.value);
    }
}
