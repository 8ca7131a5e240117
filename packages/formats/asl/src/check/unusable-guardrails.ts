import { compileSchema } from '../data/json-schema.ts';
import { LinearPattern } from '../data/linear-pattern.ts';
import { personalDataKinds } from '../data/personal-data.ts';
import { badPattern, badSchema, unknownPersonalData } from '../diagnostics/guardrails.ts';
import { guardrailRules } from './guardrail-rules.ts';
import { faultOf, type WorkflowRule } from './rule.ts';

/**
 * Reports patterns and schemas that cannot be compiled, and unknown kinds of personal data. Patterns match in time
 * linear in the text. Spec: Agent 5 §Rules
 */
export const unusableGuardrails: WorkflowRule = ({ definition, report }) => {
  for (const { rule } of guardrailRules(definition)) {
    const { Type: type, Pattern: pattern, Schema: schema, Detect: kinds } = rule.value;
    if (type === 'regex' && typeof pattern === 'string') {
      const because = faultOf(() => new LinearPattern(pattern));
      if (because !== undefined) report(badPattern(because), [...rule.at, 'Pattern']);
    }
    if (type === 'schema' && schema !== undefined) {
      const because = faultOf(() => compileSchema(schema));
      if (because !== undefined) report(badSchema(because), [...rule.at, 'Schema']);
    }
    if (type !== 'pii' || !Array.isArray(kinds)) continue;
    kinds.forEach((kind: unknown, index) => {
      if (typeof kind === 'string' && !personalDataKinds.includes(kind)) {
        report(unknownPersonalData(kind, personalDataKinds), [...rule.at, 'Detect', index]);
      }
    });
  }
};
