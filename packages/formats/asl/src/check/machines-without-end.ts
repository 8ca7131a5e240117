import type { State, Workflow } from '../definition/index.ts';
import { noTerminalState } from '../diagnostics/structure.ts';
import { machinesOf } from '../walk.ts';
import { exitFieldsOf, explainsNothing, wiringOf } from './machine-graph.ts';
import type { WorkflowRule } from './rule.ts';

/** Reports machines in which no state is an end. Spec: states-language.net/spec.html#terminal-state */
export const machinesWithoutEnd: WorkflowRule = ({ definition, report }) => {
  for (const { States: states, at } of machinesOf(definition)) {
    if (definition.isBare && at.length === 0) continue;
    if (states.length === 0 || states.some((state) => isEnd(state, definition))) continue;
    report(noTerminalState(), [...at, 'States'], {
      at: 'key',
      about: explainsNothing,
      follows: wiringOf(at),
    });
  }
};

/** A state of an unknown type may be an end. In a template a bare `Output` ends it. */
function isEnd({ authored }: State, { isTemplate }: Workflow): boolean {
  if (exitFieldsOf(authored['Type']).length === 0) return true;
  return authored['End'] === true || (isTemplate && Object.hasOwn(authored, 'Output'));
}
