import { isRecord, type Path } from '@dramaturg/compiler';
import type { z } from 'zod';
import { hasHole, isAgentOnly, isExpression } from '../definition/field.ts';
import type { State, Workflow } from '../definition/index.ts';
import { stateSchema } from '../document.ts';
import {
  badTemplateValue,
  badVariableName,
  duplicateTemplateKey,
  notEvaluated,
} from '../diagnostics/expressions.ts';
import { authoredPart, conditionsOf, type Part, partOf, partsOf } from '../authored.ts';
import { statesOf } from '../walk.ts';
import { checkCall } from './intrinsics.ts';
import { checkPath } from './paths.ts';
import { isCall } from '../data/intrinsic/parse.ts';
import type { WorkflowRule } from './rule.ts';

/**
 * In a template of a JSONPath state, a key that ends in `.$` has a path or a call of an intrinsic function, and no two
 * keys become the same. Spec: states-language.net/spec.html#payload-template, Agent 3
 */
export const templatesAreWellFormed: WorkflowRule = ({ definition, report }) => {
  for (const state of statesOf(definition)) {
    if (state.QueryLanguage === 'JSONata') continue;
    for (const { value: fields, at } of objectsIn(templatesOf(state))) {
      for (const [key, value] of Object.entries(fields)) {
        const path = [...at, key];
        if (isExpression(value)) report(notEvaluated('"{% %}"', 'JSONPath'), path);
        if (!key.endsWith('.$')) continue;
        const plain = key.slice(0, -2);
        if (Object.hasOwn(fields, plain)) report(duplicateTemplateKey(plain), path, { at: 'key' });
        if (definition.isTemplate && hasHole(value)) continue;
        if (typeof value !== 'string') report(badTemplateValue(key), path);
        else if (isCall(value)) checkCall(value, definition.dialect, path, report);
        else checkPath(key, value, definition.dialect, path, report);
      }
    }
  }
};

/** The name of a variable is an identifier that expressions can use. Spec: states-language.net/spec.html#variables */
export const variablesAreNameable: WorkflowRule = ({ definition, report }) => {
  for (const { at, value, isPath } of assignmentsOf(definition)) {
    for (const key of Object.keys(value)) {
      const name = isPath && key.endsWith('.$') ? key.slice(0, -2) : key;
      const isFit = /^[\p{ID_Start}_][\p{ID_Continue}]*$/u.test(name) && name.length <= 80;
      if (!isFit || name === 'states') report(badVariableName(name), [...at, key], { at: 'key' });
    }
  }
};

function* assignmentsOf(workflow: Workflow): Generator<Part & { isPath: boolean }> {
  for (const state of statesOf(workflow)) {
    const part = authoredPart(state);
    for (const owner of [part, ...partsOf(part, 'Catch'), ...partsOf(part, 'Choices')]) {
      const assign = partOf(owner, 'Assign');
      if (assign) yield { ...assign, isPath: state.QueryLanguage === 'JSONPath' };
    }
  }
}

const templateFields = [
  'Parameters',
  'ResultSelector',
  'ItemSelector',
  'Assign',
  'Credentials',
  'Input',
  'Prompt',
  'ItemReader',
  'ItemBatcher',
  'ResultWriter',
];

/** The templates of a state. The blocks that agents read have such keys as well. */
function templatesOf(state: State): readonly { value: unknown; at: Path }[] {
  const part = authoredPart(state);
  const shape = stateSchema(state.authored['Type'])?.shape ?? {};
  const blocks = Object.keys(part.value).filter(
    (field) => Object.hasOwn(shape, field) && isAgentOnly(shape[field] as z.ZodType),
  );
  const inner = [...partsOf(part, 'Catch'), ...partsOf(part, 'Choices')];
  return [
    // Of the state itself, only keys such as `Cause.$`, `Prompt.$`.
    { value: dynamicFields(part), at: part.at },
    ...partsOf(part, 'Choices')
      .flatMap(conditionsOf)
      .map((one) => ({ value: dynamicFields(one), at: one.at })),
    ...[...templateFields, ...blocks].map((field) => ({
      value: part.value[field],
      at: [...part.at, field],
    })),
    ...inner.map(({ value, at }) => ({ value: value['Assign'], at: [...at, 'Assign'] })),
  ];
}

function dynamicFields({ value }: Part): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([field]) => field.endsWith('.$')));
}

/** Every object in some values, at any depth. */
function* objectsIn(values: readonly { value: unknown; at: Path }[]): Generator<Part> {
  const open = [...values];
  for (const { value, at } of open) {
    if (Array.isArray(value)) {
      value.forEach((item, index) => open.push({ value: item, at: [...at, index] }));
    } else if (isRecord(value)) {
      yield { value, at };
      for (const [key, child] of Object.entries(value))
        open.push({ value: child, at: [...at, key] });
    }
  }
}
