import { checkShape, type Problem } from '@dramaturg/compiler';
import { shapeOf, type State } from '../definition/index.ts';
import { badImport } from '../diagnostics/approval.ts';
import { normalise } from '../normalise/index.ts';
import { machinesOf, statesOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';

/**
 * A template is judged as it is included, with its parameters filled in: what is wrong with it is told where it is included,
 * since it has no place in this text. Spec: Agent 10 §Include
 *
 * @param rules of a workflow
 */
export function templatesAreSound(rules: readonly WorkflowRule[]): WorkflowRule {
  return ({ definition, options, report }) => {
    for (const state of statesOf(definition)) {
      const because = firstProblem(state, rules, { definition, options });
      if (because)
        report(badImport((state as { Template: string }).Template, because), [
          ...state.at,
          'Template',
        ]);
    }
  };
}

function firstProblem(
  state: State,
  rules: readonly WorkflowRule[],
  { definition, options }: Pick<Parameters<WorkflowRule>[0], 'definition' | 'options'>,
): string | undefined {
  if (state.Type !== 'Include' || !state.Machine || !state.Filled) return undefined;
  const { dialect } = definition;
  const found: string[] = [];
  checkShape(state.Filled, shapeOf(), ({ message, severity }, path) => {
    if (severity === 'error')
      found.push(path.length === 0 ? message : `At ${path.join('.')}: ${message}`);
  });
  if (found[0] !== undefined) return found[0];
  const problems: Problem[] = [];
  const subject = {
    definition: normalise(state.Filled, { dialect }),
    options,
    report: (problem: Problem) => void problems.push(problem),
  };
  for (const rule of rules) rule(subject);
  const wrong = problems.find(
    ({ severity, code }) => severity === 'error' && code !== 'asl/unknown-import',
  );
  if (wrong) return wrong.message;
  for (const machine of machinesOf(state.Machine)) {
    for (const inner of machine.States) {
      const because = firstProblem(inner, rules, { definition, options });
      if (because) return because;
    }
  }
  return undefined;
}
