import { hasHole, isHole } from '../definition/field.ts';
import { unknownTarget } from '../diagnostics/structure.ts';
import { machinesOf } from '../walk.ts';
import { namesOf, ownNames, targetsIn } from './machine-graph.ts';
import type { WorkflowRule } from './rule.ts';

/** Reports transitions to states that their own machine does not have. Spec: states-language.net/spec.html#transition */
export const unknownTargets: WorkflowRule = ({ definition, report }) => {
  const everywhere = namesOf(definition);
  for (const machine of machinesOf(definition)) {
    // The states around these may have it.
    if (definition.isBare && machine.at.length === 0) continue;
    const known = ownNames(machine);
    const names = [...known];
    const { StartAt: start, at } = machine;
    for (const { target, path } of targetsIn(machine)) {
      // Other rules report the first state, and a hole outside of a template.
      if (known.has(target) || target === start || isHole(target)) continue;
      if (definition.isTemplate && hasHole(target)) continue;
      const topic = JSON.stringify([at, target]);
      report(unknownTarget(target, names, everywhere.has(target)), path, { topic });
    }
  }
};
