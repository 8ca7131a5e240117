import { nextAndEnd, noNext } from '../diagnostics/structure.ts';
import { isStateType } from '../kinds.ts';
import { statesOf } from '../walk.ts';
import { exitFieldsOf } from './machine-graph.ts';
import type { WorkflowRule } from './rule.ts';

/** Reports states with both `Next` and `End`, or with neither. Spec: Agent 2, states-language.net/spec.html#transition */
export const wrongExits: WorkflowRule = ({ definition, report }) => {
  for (const state of statesOf(definition)) {
    const { name, authored, at } = state;
    const ways = exitFieldsOf(authored['Type']);
    if (!ways.includes('Next') && isStateType(authored['Type'])) continue;
    const leads = Object.hasOwn(authored, 'Next');
    if (leads && authored['End'] === true) {
      report(nextAndEnd(name), [...at, 'End'], { at: 'key' });
    } else if (!leads && authored['End'] !== true && isStateType(authored['Type'])) {
      if (ways.includes('Choices') && Object.hasOwn(authored, 'Choices')) continue;
      if (definition.isTemplate && Object.hasOwn(authored, 'Output')) continue;
      const about = ways.map((field) => [...at, field]);
      report(noNext(name, authored['End'] === false), at, { at: 'key', about, follows: about });
    }
  }
};
