import type { Json } from '@dramaturg/compiler';
import type { Dialect } from '../../definition/index.ts';
import type { Evaluate, Evaluation } from '../evaluation.ts';
import { compilePath, compileRead, type Found } from '../path/read.ts';
import { isFault } from '../path/parse.ts';
import { type Argument, type Call, parseCall, unescaped } from './parse.ts';
import { failed } from './function.ts';
import { functionsOf } from './functions.ts';

/**
 * Compiles a call such as `States.Format('{} of {}', $.index, $.count)`.
 *
 * @throws StatesError States.IntrinsicFailure when the function fails; also the errors of its arguments
 */
export function compileIntrinsic(text: string, dialect: Dialect): Evaluate {
  const call = parseCall(text);
  if (isFault(call)) return failing(`'${text}' is not a call of a function: ${call.fault}.`);
  return compileCall(call, dialect);
}

function compileCall({ name, args }: Call, dialect: Dialect): Evaluate {
  const functions = functionsOf(dialect);
  const called = Object.hasOwn(functions, name) ? functions[name]! : undefined;
  if (!called) return failing(`There is no function ${name}.`);
  if (args.length < called.least || args.length > called.most) {
    return failing(`${name} was given ${args.length} argument${args.length === 1 ? '' : 's'}.`);
  }
  const values = args.map((argument, index) =>
    compileArgument(argument, dialect, name === 'States.Format' && index === 0),
  );
  if (name === 'States.Coalesce') {
    // The function skips missing values like null.
    const reads = args.map((argument, index) =>
      argument.kind === 'path' ? orNull(compileRead(argument.path.text)) : values[index]!,
    );
    return (evaluation) =>
      called.call(
        reads.map((read) => read(evaluation)),
        evaluation,
      );
  }
  return (evaluation) => {
    const given = values.map((value) => value(evaluation));
    if (evaluation.work?.take(unitsOf(given)) === false)
      throw failed(`${name}: the functions of the state do too much work.`);
    return called.call(given, evaluation);
  };
}

/** The units of a call, and of the least that it reads of its arguments. */
function unitsOf(given: readonly Json[]): number {
  return given.reduce<number>((units, value) => {
    if (typeof value === 'string') return units + value.length / 32;
    if (typeof value !== 'object' || value === null) return units;
    return units + (Array.isArray(value) ? value.length : Object.keys(value).length);
  }, 10);
}

function orNull(read: (evaluation: Evaluation) => Found): Evaluate {
  return (evaluation) => {
    const found = read(evaluation);
    return found.found ? found.value : null;
  };
}

function compileArgument(argument: Argument, dialect: Dialect, isTemplate: boolean): Evaluate {
  switch (argument.kind) {
    case 'call':
      return compileCall(argument.call, dialect);
    case 'path':
      return compilePath(argument.path.text);
    case 'text': {
      const text = isTemplate ? argument.written : unescaped(argument.written);
      return () => text;
    }
    default:
      return () => argument.value;
  }
}

function failing(because: string): Evaluate {
  return () => {
    throw failed(because);
  };
}
