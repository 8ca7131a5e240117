import type { Json } from '@dramaturg/compiler';
import { dialects } from '../../dialect.ts';
import type { Evaluate, Evaluation } from '../evaluation.ts';
import { isLarger, longestText } from '../size.ts';
import { StatesError } from '../states-error.ts';
import { isFault, parsePath } from './parse.ts';
import { fieldOf, follow, followPlain, type Found, isPlain, PathWork } from './follow.ts';
import { Work } from '../work.ts';

export type { Found };

const nothing: Found = { found: false };

/** Follows a path. @throws StatesError States.Runtime when the string is not a path */
export function readPath(text: string, evaluation: Evaluation): Found {
  return compileRead(text)(evaluation);
}

/** Like `readPath`, for a path that is read many times. */
export function compileRead(text: string): (evaluation: Evaluation) => Found {
  const path = parsePath(text);
  if (isFault(path)) {
    return () => {
      throw new StatesError('States.Runtime', `Invalid path '${text}': ${path.fault}.`);
    };
  }
  const { root, steps } = path;
  const rootOf = rootReader(root);
  if (steps.length === 0) return (evaluation) => foundOf(rootOf(evaluation));
  const [first] = steps;
  const only = root === '$' && steps.length === 1 && first!.kind === 'name' ? first!.name : '';
  if (only === 'approval')
    return ({ decision, data }) => foundOf(decision ?? fieldOf(data, 'approval'));
  if (only === 'decision')
    return ({ decision, data }) => foundOf(fieldOf(data, 'decision') ?? decision);
  if (steps.every(isPlain)) {
    return (evaluation) => foundOf(followPlain(rootOf(evaluation), steps));
  }
  return (evaluation) => {
    const { pathsCountFromEnd } = dialects[evaluation.dialect];
    return follow(
      path,
      rootOf(evaluation),
      new PathWork(path.text, evaluation.work ?? new Work()),
      pathsCountFromEnd,
    );
  };
}

/**
 * Compiles a path that must have a value. Where the workflow says so, a path to nothing has the value null; a variable
 * that was never assigned is a mistake in any workflow.
 *
 * @param field the field with the path, for the message
 * @throws StatesError when the path has no value: `States.ParameterPathFailure`, or Amazon's `States.Runtime`
 */
export function compilePath(text: string, field?: string): Evaluate {
  const read = compileRead(text);
  const variable = variableName.exec(text.trim())?.[1];
  const isOfData = pathOfData.test(text.trim());
  return (evaluation) => {
    if (evaluation.data === null && isOfData) requireData(evaluation);
    const found = read(evaluation);
    if (found.found) return found.value;
    const isKnown = variable === undefined || Object.hasOwn(evaluation.variables, variable);
    if (evaluation.missing === 'null' && isKnown) return null;
    const inField = field === undefined ? '' : ` specified for the field '${field}'`;
    throw new StatesError(
      dialects[evaluation.dialect].missingPath,
      `The JSONPath '${text}'${inField} could not be found in the input '${shown(evaluation.data)}'`,
    );
  };
}

/** @throws StatesError where null has no paths: AWS fails even for `$` */
function requireData({ dialect }: Evaluation): void {
  if (dialects[dialect].nullHasPaths) return;
  throw new StatesError(
    'States.Runtime',
    'Unable to apply Path transformation to null or empty input.',
  );
}

/** Matches paths that begin at the data, not at a variable or the context object. */
const pathOfData = /^\$(?![\p{ID_Start}_$])/u;
const variableName = /^\$([\p{ID_Start}_][\p{ID_Continue}]*)/u;

/** Characters of the data in a message. */
const longestShown = 1_000;

function shown(data: Json): string {
  if (isLarger(data, longestText)) return '...';
  const text = JSON.stringify(data);
  return text.length <= longestShown ? text : `${text.slice(0, longestShown)}...`;
}

function rootReader(root: string): (evaluation: Evaluation) => Json | undefined {
  if (root === '$') return ({ data }) => data;
  if (root === '$$') return ({ context }) => context;
  const name = root.slice(1);
  return ({ variables }) => (Object.hasOwn(variables, name) ? variables[name] : undefined);
}

function foundOf(value: Json | undefined): Found {
  return value === undefined ? nothing : { found: true, value };
}
