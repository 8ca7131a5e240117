import { nearestName } from '@dramaturg/compiler/text';
import { unsupportedField } from '../diagnostics/fields.ts';
import { agentType, unknownType } from '../diagnostics/structure.ts';
import { isAgentType, isStateType, stateTypes } from '../kinds.ts';
import { statesOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';

/** Reports state types that the dialect does not have. Spec: Agent 2, states-language.net/spec.html#statetypes */
export const unknownTypes: WorkflowRule = ({ definition, options, report }) => {
  const isAmazon = definition.dialect === 'amazon';
  const known = stateTypes.filter((type) => !isAmazon || !isAgentType(type));
  // A state of a type that only agents have would make the workflow one of agents.
  const suggested = options.dialect === 'amazon' ? known : stateTypes;
  for (const { authored, at } of statesOf(definition)) {
    const type = authored['Type'];
    if (type === undefined) {
      const field = Object.keys(authored).find((key) => nearestName(key, ['Type']) !== undefined);
      if (field === undefined) continue; // The shape check asks for it.
      const misspelt = [...at, 'Type'];
      report(unsupportedField(field, 'A state', 'Did you mean "Type"?'), [...at, field], {
        at: 'key',
        misspelt,
      });
    }
    if (typeof type !== 'string') continue;
    if (!isStateType(type)) report(unknownType(type, suggested, known), [...at, 'Type']);
    else if (isAmazon && isAgentType(type)) report(agentType(type), [...at, 'Type']);
  }
};
