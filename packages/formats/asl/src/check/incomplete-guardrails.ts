import { missingField } from '../diagnostics/fields.ts';
import { guardrailRules } from './guardrail-rules.ts';
import type { WorkflowRule } from './rule.ts';

/** The fields that each type of guardrail needs; one of them is enough. Spec: Agent 5 §Rules */
const neededFields: Readonly<Record<string, readonly string[]>> = {
  length: ['Max', 'Min'],
  pattern: ['Block'],
  regex: ['Pattern'],
  schema: ['Schema'],
  semantic: ['Check'],
  custom: ['Agent'],
};

/** Reports guardrails that miss the field their type needs. Spec: Agent 5 §Rules */
export const incompleteGuardrails: WorkflowRule = ({ definition, report }) => {
  for (const { rule } of guardrailRules(definition)) {
    const { Type: type } = rule.value;
    const fields =
      typeof type === 'string' && Object.hasOwn(neededFields, type) ? neededFields[type]! : [];
    if (fields.length > 0 && !fields.some((field) => Object.hasOwn(rule.value, field))) {
      const about = fields.map((field) => [...rule.at, field]);
      const problem = missingField(`A guardrail of the type "${String(type)}"`, fields);
      report(problem, rule.at, { about, follows: about });
    }
  }
};
