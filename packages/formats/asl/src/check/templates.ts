import { isRecord, type Path } from '@dramaturg/compiler';
import { authoredPart, conditionsOf, type Part, partsOf } from '../authored.ts';
import { isAgentOnly } from '../definition/field.ts';
import type { State } from '../definition/index.ts';
import { stateSchema } from '../document.ts';

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
export function templatesOf(state: State): readonly { value: unknown; at: Path }[] {
  const part = authoredPart(state);
  const shape = stateSchema(state.authored['Type'])?.shape ?? {};
  const blocks = Object.keys(part.value).filter(
    (field) => Object.hasOwn(shape, field) && isAgentOnly(shape[field]!),
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
