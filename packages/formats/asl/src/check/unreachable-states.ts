import { reachableFrom, rootsOf } from '@dramaturg/compiler/chart';
import { targetsOf } from '../authored.ts';
import { hasHole } from '../definition/field.ts';
import { unreachableState } from '../diagnostics/structure.ts';
import { machinesOf } from '../walk.ts';
import { explainsNothing, ownNames, wiringOf } from './machine-graph.ts';
import type { WorkflowRule } from './rule.ts';

/** Reports states that cannot be entered. Spec: AWS refuses them as `MISSING_TRANSITION_TARGET` */
export const unreachableStates: WorkflowRule = ({ definition, report }) => {
  for (const machine of machinesOf(definition)) {
    if (!ownNames(machine).has(machine.StartAt)) continue;
    const targets = new Map(
      machine.States.map((state) => [state.name, targetsOf(state).map(({ target }) => target)]),
    );
    if (definition.isTemplate && [...targets.values()].flat().some(hasHole)) continue;
    const next = (name: string) => targets.get(name) ?? [];
    const entered = reachableFrom([machine.StartAt], next);
    const left = machine.States.filter(({ name }) => !entered.has(name));
    // A state that only such a state leads to follows from it.
    const roots = new Set(
      rootsOf(
        left.map(({ name }) => name),
        next,
      ),
    );
    for (const { name, at } of left) {
      if (roots.has(name))
        report(unreachableState(name), at, {
          at: 'key',
          about: explainsNothing,
          follows: wiringOf(machine.at),
        });
    }
  }
};
