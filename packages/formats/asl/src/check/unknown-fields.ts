import { nearestName } from '@dramaturg/compiler';
import type { z } from 'zod';
import { isAgentOnly } from '../definition/field.ts';
import { agentField, unknownField, unsupportedField } from '../diagnostics/fields.ts';
import { describedParts } from './described-parts.ts';
import type { WorkflowRule } from './rule.ts';

/**
 * Reports fields that their part does not have: errors for Amazon, warnings for Agent State Language, which is still
 * growing. Spec: states-language.net/spec.html#statefields
 */
export const unknownFields: WorkflowRule = ({ definition, options, report }) => {
  for (const { owner, part, schema } of describedParts(definition)) {
    const { shape } = schema;
    for (const field of Object.keys(part.value)) {
      if (field === 'Type' && owner.endsWith('state')) continue;
      const known = Object.hasOwn(shape, field) ? shape[field] : undefined;
      const path = [...part.at, field];
      if (known) {
        if (definition.dialect === 'amazon' && isAgentOnly(known))
          report(agentField(field), path, { at: 'key' });
        continue;
      }
      // Which language it is may follow from the very field that is misspelt.
      const fields = options.dialect === 'amazon' ? amazonFields(schema) : Object.keys(shape);
      const absent = fields.filter((one) => !Object.hasOwn(part.value, one));
      const near = nearestName(field, absent);
      const problem =
        definition.dialect === 'agent'
          ? unknownField(field, owner, near)
          : unsupportedField(field, owner, near);
      if (near === undefined) report(problem, path, { at: 'key' });
      else report({ ...problem, misread: true }, path, { at: 'key', misspelt: [...part.at, near] });
    }
  }
};

function amazonFields({ shape }: z.ZodObject): string[] {
  return Object.keys(shape).filter((field) => !isAgentOnly(shape[field]! as z.ZodType));
}
