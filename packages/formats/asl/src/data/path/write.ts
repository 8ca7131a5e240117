import { isRecord, type Json, type JsonObject } from '@dramaturg/compiler';
import { StatesError } from '../states-error.ts';
import { isFault, parsePath, type Step } from './parse.ts';

/** Puts a value into a copy of the data. Values off the path are shared. */
export type Write = (root: Json, value: Json) => Json;

/**
 * Compiles a reference path for writing. Missing objects are created.
 * Spec: states-language.net/spec.html#ref-paths
 *
 * @throws StatesError States.ResultPathMatchFailure when the path goes through a string or a number, or past the end of
 * a list
 */
export function compileWrite(referencePath: string): Write {
  const path = parsePath(referencePath);
  if (isFault(path) || path.root !== '$') {
    return () => {
      throw new StatesError('States.Runtime', `Invalid reference path '${referencePath}'.`);
    };
  }
  const { steps } = path;
  const [first] = steps;
  // Fast path: nearly all reference paths name one field.
  if (steps.length === 1 && first!.kind === 'name' && first!.name !== '__proto__') {
    const { name } = first!;
    return (root, value) =>
      isRecord(root) ? { ...root, [name]: value } : writeAt(root, steps, 0, value, referencePath);
  }
  return (root, value) => writeAt(root, steps, 0, value, referencePath);
}

function writeAt(
  into: Json | undefined,
  steps: readonly Step[],
  at: number,
  value: Json,
  path: string,
): Json {
  const step = steps[at];
  if (step === undefined) return value;
  if (step.kind === 'name') {
    if (into !== undefined && into !== null && !isRecord(into)) throw unreachable(path, into);
    const object = into ?? {};
    const old = Object.hasOwn(object, step.name) ? object[step.name] : undefined;
    return withField(object, step.name, writeAt(old, steps, at + 1, value, path));
  }
  if (step.kind === 'index' && Array.isArray(into) && step.index >= 0 && step.index < into.length) {
    return into.with(step.index, writeAt(into[step.index], steps, at + 1, value, path)) as Json;
  }
  throw unreachable(path, into);
}

/** Copies the object with one field changed. Assigning to `__proto__` would set the prototype. */
function withField(object: JsonObject, name: string, value: Json): JsonObject {
  if (name !== '__proto__') return { ...object, [name]: value };
  const copy = { ...object };
  Object.defineProperty(copy, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
  return copy;
}

function unreachable(path: string, into: Json | undefined): StatesError {
  const shown = into === undefined ? 'nothing' : JSON.stringify(into).slice(0, 200);
  return new StatesError(
    'States.ResultPathMatchFailure',
    `Unable to apply ReferencePath ${path} to input ${shown}`,
  );
}
