import { isRecord, type Path } from '@dramaturg/compiler';
import type { Report } from '@dramaturg/compiler/format';
import { authoredPart, partOf, partsOf } from '../authored.ts';
import { expressionFault, sourceOf } from '../data/jsonata/expression.ts';
import {
  calledFunctions,
  contextNames,
  jsonataFunctions,
  statesFields,
} from '../data/jsonata/references.ts';
import { isExpression } from '../definition/field.ts';
import type { Machine, State } from '../definition/machine.ts';
import {
  badExpression,
  badVariableName,
  conditionNotExpression,
  expressionInJsonpath,
  notEvaluated,
  openExpression,
  shadowedVariable,
  unavailableData,
  unknownJsonataFunction,
} from '../diagnostics/expressions.ts';
import { stateSchema } from '../document.ts';
import { definitionOf } from '../kinds.ts';
import type { MapState } from '../kinds/map/definition.ts';
import { statesOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';

/** Fields of a state that hold no expressions: names, text for people, and machines with states of their own. */
const plainFields = new Set([
  'Type',
  'Comment',
  'QueryLanguage',
  'Resource',
  'Next',
  'Default',
  'Branches',
  'Iterator',
  'ItemProcessor',
]);

/** The strings of a state that may be expressions, at any depth. */
export function* textsOf({ authored, at }: State): Generator<{ text: string; at: Path }> {
  const open: { value: unknown; at: Path }[] = Object.entries(authored)
    .filter(([field]) => !plainFields.has(field))
    .map(([field, value]) => ({ value, at: [...at, field] }));
  for (const { value, at: place } of open) {
    if (typeof value === 'string') yield { text: value, at: place };
    else if (Array.isArray(value)) {
      value.forEach((item, index) => open.push({ value: item, at: [...place, index] }));
    } else if (isRecord(value)) {
      for (const [key, child] of Object.entries(value)) {
        open.push({ value: child, at: [...place, key] });
      }
    }
  }
}

/**
 * Reports strings of JSONata states that look like expressions and cannot be read, and calls of functions that do not
 * exist.
 * Spec: states-language.net/spec.html#jsonata-strings
 */
export const malformedExpressions: WorkflowRule = ({ definition, report }) => {
  for (const state of statesOf(definition)) {
    if (state.QueryLanguage !== 'JSONata') continue;
    for (const { text, at } of textsOf(state)) {
      if (isExpression(text)) {
        const fault = expressionFault(text);
        if (fault === undefined) reportUnknownFunctions(text, at, report);
        else report(badExpression(fault, text), at);
      } else if (text.startsWith('{%')) report(openExpression('%}'), at);
      else if (text.endsWith('%}')) report(openExpression('{%'), at);
      else if (String(at.at(-1)).endsWith('.$'))
        report(notEvaluated('The ".$" of this key', 'JSONata'), at, { at: 'key' });
    }
  }
};

function reportUnknownFunctions(expression: string, at: Path, report: Report): void {
  for (const name of calledFunctions(sourceOf(expression))) {
    if (!jsonataFunctions.includes(name))
      report(unknownJsonataFunction(name, jsonataFunctions), at);
  }
}

/**
 * Reports expressions that read a result or an error that does not exist there, or a context. AWS refuses to create
 * such a workflow.
 * Spec: states-language.net/spec.html#states-variable, AWS "Transforming data with JSONata"
 */
export const unavailableDataRead: WorkflowRule = ({ definition, report }) => {
  for (const state of statesOf(definition)) {
    if (state.QueryLanguage !== 'JSONata') continue;
    for (const { text, at } of textsOf(state)) {
      if (!isExpression(text) || expressionFault(text) !== undefined) continue;
      const fields = statesFields(sourceOf(text));
      for (const field of ['result', 'errorOutput'] as const) {
        if (fields.has(field) && !isAvailable(field, state, at))
          report(unavailableData(`$states.${field}`), at);
      }
      for (const name of contextNames(sourceOf(text))) report(unavailableData(name), at);
    }
  }
};

const typesWithResult: ReadonlySet<unknown> = new Set(['Task', 'Parallel', 'Map']);
const endFields: ReadonlySet<unknown> = new Set(['Assign', 'Output']);

function isAvailable(field: 'result' | 'errorOutput', { authored, at: place }: State, at: Path) {
  const [first, , third] = at.slice(place.length);
  // Another rule reports a field or a type that does not exist.
  const fields = stateSchema(authored['Type'])?.shape;
  if (!fields || !Object.hasOwn(fields, String(first))) return true;
  if (field === 'errorOutput') return first === 'Catch' && endFields.has(third);
  return typesWithResult.has(authored['Type']) && endFields.has(first);
}

/** The numbers of a state that another field can read from a path. */
const numberFields = [
  'Seconds',
  'TimeoutSeconds',
  'HeartbeatSeconds',
  'MaxConcurrency',
  'ToleratedFailureCount',
  'ToleratedFailurePercentage',
  'MaxItemsPerBatch',
  'MaxInputBytesPerBatch',
  'MaxItems',
];

/** Reports JSONata expressions instead of numbers in JSONPath states. Spec: states-language.net/spec.html#jsonata-strings */
export const expressionsAsNumbers: WorkflowRule = ({ definition, report }) => {
  for (const state of statesOf(definition)) {
    if (state.QueryLanguage === 'JSONata') continue;
    const part = authoredPart(state);
    const reader = partOf(part, 'ItemReader');
    const parts = [part, partOf(part, 'ItemBatcher'), reader && partOf(reader, 'ReaderConfig')];
    for (const one of parts) {
      for (const field of numberFields) {
        if (one && isExpression(one.value[field])) {
          report(expressionInJsonpath(field), [...one.at, field]);
        }
      }
    }
  }
};

/** Reports conditions written as ordinary text. Spec: states-language.net/spec.html#choice-state */
export const conditionsWithoutExpression: WorkflowRule = ({ definition, report }) => {
  for (const state of statesOf(definition)) {
    if (state.QueryLanguage !== 'JSONata') continue;
    for (const { value, at } of partsOf(authoredPart(state), 'Choices')) {
      const { Condition: condition } = value;
      if (typeof condition === 'string' && !isExpression(condition)) {
        report(conditionNotExpression(), [...at, 'Condition']);
      }
    }
  }
};

/** Reports variable names that expressions cannot use. Spec: states-language.net/spec.html#variables */
export const badVariableNames: WorkflowRule = ({ definition, report }) => {
  for (const { name, at } of statesOf(definition).flatMap(assignmentsOf)) {
    const isFit = /^[\p{ID_Start}_][\p{ID_Continue}]*$/u.test(name) && name.length <= 80;
    if (!isFit || name === 'states') report(badVariableName(name), at, { at: 'key' });
  }
};

/** A variable that a state sets, and the path of its key. */
interface Assignment {
  readonly name: string;
  readonly at: Path;
}

/** The variables that a state, its rules and its catchers set. */
function assignmentsOf(state: State): readonly Assignment[] {
  const part = authoredPart(state);
  return [part, ...partsOf(part, 'Catch'), ...partsOf(part, 'Choices')].flatMap((owner) => {
    const assign = partOf(owner, 'Assign');
    return Object.keys(assign?.value ?? {}).map((key) => ({
      name: state.QueryLanguage === 'JSONPath' && key.endsWith('.$') ? key.slice(0, -2) : key,
      at: [...assign!.at, key],
    }));
  });
}

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
