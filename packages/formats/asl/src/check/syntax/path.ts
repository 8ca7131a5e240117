import { parsePath } from '../../data/path/parse.ts';
import { isFault, type Path, type Step } from '../../data/path/path.ts';

/** Why a string is not a path; undefined for a path. The agent dialect has fewer kinds of steps. Agent 3 §JSONPath */
export function pathFault(text: string, dialect: 'amazon' | 'agent'): string | undefined {
  const path = parsePath(text);
  if (isFault(path)) return path.fault;
  return dialect === 'amazon' ? undefined : unknownStep(path);
}

/** The step that Agent State Language lacks; undefined without one. */
export function unknownStep({ steps }: Path): string | undefined {
  const step = steps.find(({ kind }) => stepNames[kind] !== undefined);
  return step && `Agent State Language has no ${stepNames[step.kind]}`;
}

/** The step that leads nowhere in AWS: a function, which is read as a name, or a negative index. */
export function deadStepOf(text: string): string | undefined {
  const path = parsePath(text);
  if (isFault(path)) return undefined;
  for (const step of path.steps) {
    if (step.kind === 'name' && /^\w+\(.*\)$/.test(step.name)) return step.name;
    if (step.kind === 'index' && step.index < 0) return `[${step.index}]`;
  }
  return undefined;
}

const stepNames: Partial<Record<Step['kind'], string>> = {
  descent: 'search at any depth ("..")',
  filter: 'filters',
  fromEnd: 'scripts in paths',
  indexes: 'lists of indexes',
  names: 'lists of names',
};

/** Why a string does not name exactly one place of the data, or undefined. Amazon #ref-paths */
export function referencePathFault(text: string): string | undefined {
  const path = parsePath(text);
  if (isFault(path)) return path.fault;
  if (path.root === '$$') return 'the context object cannot be written';
  if (path.root !== '$') return 'use "Assign" to set a variable';
  for (const step of path.steps) {
    if (step.kind !== 'name' && (step.kind !== 'index' || step.index < 0)) {
      return 'a step can lead to several places';
    }
  }
  return undefined;
}
