import type { Report } from '@dramaturg/compiler/format';
import type { Machine } from '../definition/index.ts';
import type { MapState } from '../kinds/map/definition.ts';
import { shadowedVariable } from '../diagnostics/expressions.ts';
import { definitionOf } from '../kinds.ts';
import { assignmentsOf } from './bad-variable-names.ts';
import type { WorkflowRule } from './rule.ts';

/**
 * Reports variables of branches and items that states around them set too: inner states may only read those. The items of a
 * distributed Map do not see them. Spec: AWS "Passing data between states with variables", scope
 */
export const shadowedVariables: WorkflowRule = ({ definition, report }) => {
  if (definition.dialect === 'amazon') checkMachine(definition, new Set(), report);
};

function checkMachine({ States: states }: Machine, outer: ReadonlySet<string>, report: Report) {
  const own = states.flatMap(assignmentsOf);
  for (const { name, at } of own) {
    if (outer.has(name)) report(shadowedVariable(name), at, { at: 'key' });
  }
  const visible = new Set([...outer, ...own.map(({ name }) => name)]);
  for (const state of states) {
    const isDistributed = state.Type === 'Map' && (state as MapState).Mode === 'DISTRIBUTED';
    for (const machine of definitionOf(state.Type).machinesOf?.(state) ?? []) {
      checkMachine(machine, isDistributed ? new Set() : visible, report);
    }
  }
}
