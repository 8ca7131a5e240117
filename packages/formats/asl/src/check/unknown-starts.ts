import { hasHole } from '../definition/field.ts';
import { unknownStart } from '../diagnostics/structure.ts';
import { machinesOf } from '../walk.ts';
import { namesOf, ownNames, targetsIn } from './machine-graph.ts';
import type { WorkflowRule } from './rule.ts';

/** The most related places listed for one name. */
const relatedMax = 5;

/** Reports a `StartAt` that names no state of its machine. Spec: Agent 1, states-language.net/spec.html#toplevelfields */
export const unknownStarts: WorkflowRule = ({ definition, report }) => {
  const everywhere = namesOf(definition);
  for (const machine of machinesOf(definition)) {
    const { StartAt: start, at } = machine;
    const known = ownNames(machine);
    if (typeof machine.authored['StartAt'] !== 'string' || known.has(start)) continue;
    if (known.size === 0) continue; // A machine without states is reported as such.
    if (definition.isTemplate && hasHole(start)) continue;
    const related = targetsIn(machine)
      .filter(({ target }) => target === start)
      .slice(0, relatedMax)
      .map(({ path }) => ({ path, message: 'This names it, too.' }));
    report(unknownStart(start, [...known], everywhere.has(start)), [...at, 'StartAt'], { related });
  }
};
