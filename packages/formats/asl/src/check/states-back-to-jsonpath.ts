import { languageFixed } from '../diagnostics/fields.ts';
import { statesOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';

/** Reports JSONPath states in a JSONata workflow. Spec: states-language.net/spec.html#query-language */
export const statesBackToJsonPath: WorkflowRule = ({ definition, report }) => {
  if (definition.authored['QueryLanguage'] !== 'JSONata') return;
  for (const { authored, at } of statesOf(definition)) {
    if (authored['QueryLanguage'] === 'JSONPath') report(languageFixed(), [...at, 'QueryLanguage']);
  }
};
