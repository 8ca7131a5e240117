import type { Problem } from '@dramaturg/compiler/format';
import { checkShape } from '@dramaturg/compiler/shapes';
import type { Include } from '../kinds/include.ts';
import type { State } from '../definition/index.ts';
import { badImport } from '../diagnostics/include.ts';
import { shapeOf } from '../document.ts';
import { normalise } from '../normalise/index.ts';
import { machinesOf, statesOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';

/**
 * Reports templates that have problems once their parameters are filled in. They are reported at the Include, because
 * the template's text is in another file. Spec: Agent 10 §Include
 *
 * @param rules of a workflow
 */
export function unusableTemplates(rules: readonly WorkflowRule[]): WorkflowRule {
  return ({ definition, options, report }) => {
    for (const state of statesOf(definition)) {
      const because = firstProblem(state, rules, { definition, options });
      if (because)
        report(badImport((state as Include).Template, because), [...state.at, 'Template']);
    }
  };
}

function firstProblem(
  state: State,
  rules: readonly WorkflowRule[],
  { definition, options }: Pick<Parameters<WorkflowRule>[0], 'definition' | 'options'>,
): string | undefined {
  if (state.Type !== 'Include') return undefined;
  const { Machine: machine, Filled: filled } = state as Include;
  if (!machine || !filled) return undefined;
  const { dialect } = definition;
  const found: string[] = [];
  checkShape(filled, shapeOf(), ({ message, severity }, path) => {
    if (severity === 'error')
      found.push(path.length === 0 ? message : `At ${path.join('.')}: ${message}`);
  });
  if (found[0] !== undefined) return found[0];
  const problems: Problem[] = [];
  const report = (problem: Problem) => void problems.push(problem);
  const subject = { definition: normalise(filled, report, { dialect }), options, report };
  for (const rule of rules) rule(subject);
  const wrong = problems.find(
    ({ severity, code }) => severity === 'error' && code !== 'asl/unknown-import',
  );
  if (wrong) return wrong.message;
  for (const { States: states } of machinesOf(machine)) {
    for (const inner of states) {
      const because = firstProblem(inner, rules, { definition, options });
      if (because) return because;
    }
  }
  return undefined;
}
