import type { DataPath, Step } from '../../data/path/parse.ts';
import { elementsIn, fieldIn, itemIn, type ValueSet } from './value-set.ts';
import type { MissingValue, Sight } from './sight.ts';

type Followed = { readonly values: ValueSet } | { readonly missing: MissingValue };

/** The values that a path may have. A path that is not definite always has a list, which may be empty. */
export function followPath(
  { text, root, steps, isDefinite }: DataPath,
  sight: Sight,
  data: ValueSet,
): Followed {
  const start = startOf(root, sight, data);
  if ('missing' in start) return { missing: { ...start.missing, text } };
  if (!isDefinite) return { values: 'any' };
  let { values } = start;
  for (const [index, step] of steps.entries()) {
    const next = takeStep(values, step);
    if (next === undefined) {
      const found = root + steps.slice(0, index).map(printed).join('');
      const missing = { text, root: kindOf(root), found, step: printed(step), values };
      return { missing };
    }
    values = next;
  }
  return { values };
}

function startOf(root: string, sight: Sight, data: ValueSet): Followed {
  if (root === '$') return { values: data };
  if (root === '$$') return { values: sight.context };
  return followVariable(root.slice(1), sight);
}

export function followVariable(name: string, { variables }: Sight): Followed {
  const values = fieldIn(variables, name);
  if (values !== undefined) return { values };
  const text = `$${name}`;
  return { missing: { text, root: 'variables', found: '', step: text, values: variables } };
}

function kindOf(root: string): MissingValue['root'] {
  return root === '$$' ? 'context' : 'data';
}

function takeStep(values: ValueSet, step: Step): ValueSet | undefined {
  switch (step.kind) {
    case 'name':
      return fieldIn(values, step.name);
    case 'index':
      return step.index < 0 ? elementsIn(values) : itemIn(values, step.index);
    case 'fromEnd':
      return elementsIn(values);
    default:
      return 'any';
  }
}

function printed(step: Step): string {
  switch (step.kind) {
    case 'name':
      return /^[\p{L}\p{N}_-]+$/u.test(step.name)
        ? `.${step.name}`
        : `[${JSON.stringify(step.name)}]`;
    case 'index':
      return `[${step.index}]`;
    default:
      return '[...]';
  }
}
