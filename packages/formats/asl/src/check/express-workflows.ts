import { authoredPart, partOf } from '../authored.ts';
import type { State } from '../definition/index.ts';
import { completionOf, type Task } from '../kinds/task/definition.ts';
import { waitingInExpress } from '../kinds/task/problems.ts';
import { statesOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';
import { integrationOf } from './integrations.ts';

/**
 * Reports states that AWS refuses in express workflows, and in the children of a distributed Map whose `ExecutionType` is
 * `EXPRESS`: work that is waited for, activities, and distributed Maps. Spec: AWS "Standard and Express workflows"
 */
export const expressWorkflows: WorkflowRule = ({ definition, options, report }) => {
  const states = statesOf(definition);
  const parents = states.filter((state) => runsExpressChildren(state));
  for (const state of states) {
    const isWithin = ({ at }: State) =>
      at.length < state.at.length && at.every((step, index) => step === state.at[index]);
    if (options.kind !== 'express' && !parents.some(isWithin)) continue;
    const wait = state.Type === 'Task' ? waitOf(state as Task) : undefined;
    if (wait !== undefined) report(waitingInExpress(wait), [...state.at, 'Resource']);
    const config = configOf(state);
    if (config?.value['Mode'] === 'DISTRIBUTED')
      report(waitingInExpress('a distributed Map'), [...config.at, 'Mode']);
  }
};

function waitOf(task: Task): string | undefined {
  const pattern = integrationOf(task)?.pattern;
  if (pattern !== undefined) return `".${pattern}"`;
  return completionOf(task) === 'activity' ? 'an activity' : undefined;
}

function runsExpressChildren(state: State): boolean {
  return configOf(state)?.value['ExecutionType'] === 'EXPRESS';
}

function configOf(state: State) {
  if (state.Type !== 'Map') return undefined;
  const processor = partOf(authoredPart(state), 'ItemProcessor');
  return processor && partOf(processor, 'ProcessorConfig');
}
