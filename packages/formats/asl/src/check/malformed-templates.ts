import { isRecord, type Path } from '@dramaturg/compiler';
import { authoredPart, conditionsOf, type Part, partsOf } from '../authored.ts';
import { isCall } from '../data/intrinsic/parse.ts';
import { hasHole, isAgentOnly, isExpression } from '../definition/field.ts';
import type { State } from '../definition/index.ts';
import {
  badTemplateValue,
  duplicateTemplateKey,
  notEvaluated,
} from '../diagnostics/expressions.ts';
import { stateSchema } from '../document.ts';
import { statesOf } from '../walk.ts';
import { checkCall } from './check-call.ts';
import { checkPath } from './malformed-paths.ts';
import type { WorkflowRule } from './rule.ts';

/**
 * Reports keys ending in `.$` whose value is neither a path nor a call of an intrinsic function, keys that become the
 * same, and JSONata in a JSONPath state. Spec: states-language.net/spec.html#payload-template, Agent 3
 */
export const malformedTemplates: WorkflowRule = ({ definition, report }) => {
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

/** The templates of a state, including the blocks for agents, which use such keys as well. */
function templatesOf(state: State): readonly { value: unknown; at: Path }[] {
  const part = authoredPart(state);
  const shape = stateSchema(state.authored['Type'])?.shape ?? {};
  const blocks = Object.keys(part.value).filter(
    (field) => Object.hasOwn(shape, field) && isAgentOnly(shape[field]!),
  );
  const inner = [...partsOf(part, 'Catch'), ...partsOf(part, 'Choices')];
  return [
    // Only keys such as `Cause.$` and `Prompt.$` of the state itself.
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
export function* objectsIn(values: readonly { value: unknown; at: Path }[]): Generator<Part> {
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
