import { nearestName } from '@dramaturg/compiler/text';
import type * as z from 'zod/mini';
import { type Blocks, isAgentOnly } from '../definition/field.ts';
import type { Dialect } from '../definition/index.ts';
import { agentField, unknownField, unsupportedField } from '../diagnostics/fields.ts';
import { describedParts } from './fields-of-other-language.ts';
import type { WorkflowRule } from './rule.ts';

/** Parts in which an unknown field is likely to decide or limit something. */
const strictParts =
  /^(?:A choice rule|A condition)|\b(?:budget|guardrails?|tools?|rate limit|validation|audit|policy|batch mode|editable part|circuit breaker)\b/i;

/** Parts in which a misspelt field changes who sees, decides or shares something. */
const decidingParts = /\b(?:cache|communication|consensus)\b/;

/** Fields that limit or protect, wherever they are. */
const protecting =
  /^(?:Allowed|Denied|Namespace|TTL|DefaultTTL|Budget|Guardrails|Tools|DefaultTools|Policy|Audit|CircuitBreaker|Redact|Timeout|OnTimeout|TimeoutSeconds|HeartbeatSeconds|Credentials|Editable|BatchMode|Communication|Consensus|Context|Exclude|Filter|Limit|Overwrite|Required|IdempotencyKey(?:\.\$)?|(?:Max|Min)[A-Z].*|Tolerated.*)$/;

/** Names that people give to such fields. */
const permitting = /allow|den(?:y|ied)|permi(?:t|ssion)|forbid/i;

/** Whether an unknown field is an error, because the definition is unreliable without its effect. */
function mustBeRead(owner: string, field: string, near: string | undefined): boolean {
  if (near !== undefined && decidingParts.test(owner)) return true;
  return strictParts.test(owner) || protecting.test(near ?? field) || permitting.test(field);
}

/**
 * Reports fields that their part does not have: errors for Amazon, warnings for Agent State Language, which is still
 * growing, unless they decide, permit, limit or protect. Spec: states-language.net/spec.html#statefields
 */
export const unknownFields: WorkflowRule = ({ definition, options, report }) => {
  for (const { owner, part, schema, blocks = {} } of describedParts(definition)) {
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
      const block = blockWith(field, blocks, options.dialect);
      const near = block === undefined ? nearestName(field, absent) : undefined;
      const hint = hintOf(near, block);
      const problem =
        definition.dialect === 'agent' && !mustBeRead(owner, field, near)
          ? unknownField(field, owner, hint)
          : unsupportedField(field, owner, hint);
      if (near === undefined) report(problem, path, { at: 'key' });
      else report({ ...problem, misread: true }, path, { at: 'key', misspelt: [...part.at, near] });
    }
  }
};

/** The path of the block that has the field, such as `Policy`. */
function blockWith(
  field: string,
  blocks: Blocks,
  dialect: Dialect | undefined,
): string | undefined {
  return Object.entries(blocks).find(([path, [, schema]]) => {
    const { shape } = schema;
    if (path.includes('[]') || !Object.hasOwn(shape, field)) return false;
    return dialect !== 'amazon' || !isAgentOnly(shape[field]!);
  })?.[0];
}

function hintOf(near: string | undefined, block: string | undefined): string | undefined {
  if (block !== undefined) return `Move it into "${block}".`;
  return near === undefined ? undefined : `Did you mean "${near}"?`;
}

function amazonFields({ shape }: z.ZodMiniObject): string[] {
  return Object.keys(shape).filter((field) => !isAgentOnly(shape[field]!));
}
