import type { Path } from '@dramaturg/compiler';
import { reportDefinitions, valuesAskedFor } from '@dramaturg/conversation';
import { eachCondition } from '../conditions/condition.ts';
import { outcomesOf } from '../data-types.ts';
import { allDeliverables } from '../declarations.ts';
import type { Plan, State, Task } from '../definition.ts';
import {
  agentInGoalState,
  cycleOfStarts,
  emptyAgent,
  fieldWithoutAgent,
  startsItself,
  unknownDefinition,
  unknownFailedTask,
  unknownOutcome,
  unknownResult,
  unknownValue,
} from '../diagnostics/agents.ts';
import { keysOf } from './keys.ts';
import type { PlanRule } from './rule.ts';

type Context = Parameters<PlanRule>[0];

/** Reports mistakes in the tasks of agents, and in the definitions started at the end. Spec: docs/formats/plan.md#agents */
export const agents: PlanRule = (context) => {
  const { definition, options, report } = context;
  reportDefinitions({ unknownDefinition, cycleOfStarts }, options.unknownDefinitions, report);
  for (const state of definition.states) {
    for (const task of state.tasks) checkTask(task, state, context);
    const known = state.tasks.flatMap(({ id, agent }) => (agent === undefined ? [] : [id]));
    checkFailures(state.transitions, known, context);
  }
  const all = definition.states.flatMap(({ tasks }) => tasks);
  const known = all.flatMap(({ id, agent }) => (agent === undefined ? [] : [id]));
  checkFailures(definition.transitions ?? [], known, context);
  const { on_end: onEnd } = definition;
  if (!onEnd) return;
  checkName(onEnd.start, 'start', ['on_end'], context);
  checkValues(onEnd.input, ['on_end', 'input'], context);
  const outcomes = outcomesOf(definition);
  for (const [index, outcome] of (onEnd.outcomes ?? []).entries())
    if (!outcomes.includes(outcome))
      report(unknownOutcome(outcome, outcomes), ['on_end', 'outcomes', index]);
};

function checkTask(task: Task, { type }: State, context: Context): void {
  const { report } = context;
  const { id, agent, input, results, deliverables, at } = task;
  if (agent === undefined) {
    for (const [field, value] of Object.entries({ input, results }))
      if (value !== undefined)
        report(fieldWithoutAgent(field, id), [...at, field], {
          at: 'key',
          follows: [[...at, 'agent']],
        });
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

function checkName(name: string, field: string, at: Path, { definition, report }: Context): void {
  const about = { about: [[...at, field]] };
  if (name.trim() === '') report(emptyAgent(field), at, about);
  else if (name === `plan:${definition.id}`) report(startsItself(name), [...at, field]);
}

function checkValues(input: unknown, at: Path, { definition, report }: Context): void {
  const known = allDeliverables(definition).map(({ key }) => key);
  for (const { name, at: place } of valuesAskedFor(input))
    if (!known.includes(name))
      report(unknownValue(name, known), [...at, ...place], { follows: keysOf(definition) });
}

function checkFailures(
  transitions: Plan['states'][number]['transitions'],
  known: readonly string[],
  { report }: Context,
): void {
  for (const { condition } of transitions)
    for (const one of condition ? eachCondition(condition) : []) {
      if (one.type !== 'task_failed') continue;
      const { task_id: id, paths } = one;
      if (id === undefined ? known.length === 0 : !known.includes(id))
        report(unknownFailedTask(id ?? '', known), paths!.value);
    }
}
