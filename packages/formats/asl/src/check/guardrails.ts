import { authoredPart, type Part, partOf, partsOf } from '../authored.ts';
import { compileSchema } from '../data/json-schema.ts';
import { LinearPattern, personalDataKinds } from '../data/linear-pattern.ts';
import type { State, Workflow } from '../definition/machine.ts';
import { emptyList, missingField } from '../diagnostics/fields.ts';
import {
  badPattern,
  badSchema,
  needsJudge,
  noRules,
  unknownPersonalData,
  uselessAction,
} from '../diagnostics/blocks.ts';
import { statesOf } from '../walk.ts';
import { faultOf, type WorkflowRule } from './rule.ts';

/** The rules of all guardrails, with the state that they guard. */
export function* guardrailRules(
  workflow: Workflow,
): Generator<{ readonly rule: Part; readonly side: string; readonly state: State }> {
  for (const state of statesOf(workflow)) {
    const guardrails = partOf(authoredPart(state), 'Guardrails');
    for (const side of ['Input', 'Output']) {
      const part = guardrails && partOf(guardrails, side);
      if (part) for (const rule of partsOf(part, 'Rules')) yield { rule, side, state };
    }
  }
}

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

/**
 * Reports actions that their guardrail cannot take: only rules that find places in a string can redact, and only the
 * output can be retried. Spec: Agent 5 §Actions
 */
export const uselessActions: WorkflowRule = ({ definition, report }) => {
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

/** Reports guardrails that check nothing, or that only a model can judge. Spec: Agent 5 §Guardrails */
export const guardrailsWithoutEffect: WorkflowRule = ({ definition, options, report }) => {
  for (const state of statesOf(definition)) {
    const guardrails = partOf(authoredPart(state), 'Guardrails');
    if (!guardrails) continue;
    const sides = ['Input', 'Output'].filter((side) => Object.hasOwn(guardrails.value, side));
    if (sides.length === 0) report(noRules('"Guardrails"'), guardrails.at, { at: 'key' });
    for (const name of sides) {
      const side = partOf(guardrails, name);
      const isEmpty = side && partsOf(side, 'Rules').length === 0 && !('Validator' in side.value);
      if (isEmpty) report(noRules(`"${name}"`), side.at, { at: 'key' });
    }
  }
  for (const { rule, state } of guardrailRules(definition)) {
    const { Type: type, Check: check, Block: texts } = rule.value;
    const isPlanned = options.judge === true || catchesMissingJudge(state);
    if (type === 'semantic' && typeof check === 'string' && !isPlanned) {
      report(needsJudge(check), [...rule.at, 'Type']);
    }
    const isEmpty = Array.isArray(texts) && texts.every((text) => text === '');
    if (type === 'pattern' && isEmpty) report(emptyList('Block'), [...rule.at, 'Block']);
  }
};

/** Whether a catcher handles a missing judge. */
function catchesMissingJudge(state: State): boolean {
  const catchers = 'Catch' in state ? state.Catch : [];
  return catchers.some(({ ErrorEquals: errors }) => errors.includes('Agent.GuardrailNotJudged'));
}

/** Reports context strategies that miss a field they need. Spec: Agent 3 §Context */
export const incompleteContextStrategies: WorkflowRule = ({ definition, report }) => {
  for (const state of statesOf(definition)) {
    const context = state.Type === 'Task' ? partOf(authoredPart(state), 'Context') : undefined;
    if (!context) continue;
    const has = (field: string) => Object.hasOwn(context.value, field);
    const strategy = context.value['Strategy'];
    const owner = `The strategy "${strategy as string}"`;
    if (strategy === 'priority_based' && !has('Priority')) {
      report(missingField(owner, ['Priority']), context.at);
    }
    if (strategy === 'semantic') {
      if (!has('Query') && !has('Query.$')) report(missingField(owner, ['Query']), context.at);
      if (!has('Candidates')) report(missingField(owner, ['Candidates']), context.at);
    }
    const summarize = partOf(context, 'Summarize');
    if (strategy === 'summarize' && !summarize) {
      report(missingField(owner, ['Summarize']), context.at);
    }
    if (summarize && summarize.value['When'] !== 'Never' && !('Using' in summarize.value)) {
      report(missingField('"Summarize"', ['Using']), summarize.at);
    }
  }
};
