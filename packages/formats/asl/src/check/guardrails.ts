import { compileSchema } from '../data/json-schema.ts';
import { LinearPattern } from '../data/linear-pattern.ts';
import { personalDataKinds } from '../data/personal-data.ts';
import { missingField } from '../diagnostics/fields.ts';
import {
  badPattern,
  badSchema,
  uselessAction,
  unknownPersonalData,
} from '../diagnostics/guardrails.ts';
import { authoredPart, type Part, partOf, partsOf } from '../authored.ts';
import { statesOf } from '../walk.ts';
import type { Workflow } from '../definition/index.ts';
import { faultOf, type WorkflowRule } from './rule.ts';

/** The fields that each type of guardrail needs; one of them is enough. Spec: Agent 5 §Rules */
const needed: Readonly<Record<string, readonly string[]>> = {
  length: ['Max', 'Min'],
  pattern: ['Block'],
  regex: ['Pattern'],
  schema: ['Schema'],
  semantic: ['Check'],
  custom: ['Agent'],
};

export const guardrailsSayWhat: WorkflowRule = ({ definition, report }) => {
  for (const { rule } of guardrailRules(definition)) {
    const { Type: type } = rule.value;
    const fields = typeof type === 'string' && Object.hasOwn(needed, type) ? needed[type]! : [];
    if (fields.length > 0 && !fields.some((field) => Object.hasOwn(rule.value, field))) {
      const about = fields.map((field) => [...rule.at, field]);
      const problem = missingField(`A guardrail of the type "${String(type)}"`, fields);
      report(problem, rule.at, { about, follows: about });
    }
  }
};

/** Patterns and schemas can be compiled; patterns match in time linear in the text. */
export const guardrailsCanBeLookedAt: WorkflowRule = ({ definition, report }) => {
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

/** Only rules that find places in a text can redact, and only the output can be retried. Spec: Agent 5 §Actions */
export const actionsAreOfUse: WorkflowRule = ({ definition, report }) => {
  for (const { rule, side } of guardrailRules(definition)) {
    const { Action: action, Type: type } = rule.value;
    const cleans = action === 'redact' || action === 'mask';
    const hasPlaces = type === 'pattern' || type === 'regex' || type === 'pii';
    if (typeof type !== 'string') continue; // The shape check asks for it.
    if ((cleans && !hasPlaces) || (action === 'retry' && side === 'Input')) {
      const follows = [[...rule.at, 'Type']];
      report(uselessAction(action, type), [...rule.at, 'Action'], { follows });
    }
  }
};

function* guardrailRules(workflow: Workflow): Generator<{ rule: Part; side: string }> {
  for (const state of statesOf(workflow)) {
    const guardrails = partOf(authoredPart(state), 'Guardrails');
    for (const side of ['Input', 'Output']) {
      const part = guardrails && partOf(guardrails, side);
      if (part) for (const rule of partsOf(part, 'Rules')) yield { rule, side };
    }
  }
}
