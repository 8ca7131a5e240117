import type { Json, JsonObject } from '@dramaturg/compiler';
import { type OutputUnit, Validator } from '@cfworker/json-schema';
import { withoutPatterns } from './patterns.ts';

/**
 * Checks a value against a JSON Schema. The schema comes from a definition, so it is interpreted and never compiled to code.
 *
 * @returns a description of the errors for a model; undefined when there are none
 */
export function misfit(value: Json, schema: JsonObject): string | undefined {
  const errors = errorsIn(value, schema);
  if (errors.length === 0) return undefined;
  return deepestOf(errors)
    .slice(0, 5)
    .map(({ instanceLocation, error }) => `${contextOf(instanceLocation)}: ${error}`)
    .join(' ');
}

/** The maximum number of parts to remove from a value. */
const removalsMax = 50;

/** The value without the parts that do not fit; undefined when the rest does not fit either. */
export function fittingPart(value: Json, schema: JsonObject): Json | undefined {
  const part = structuredClone(value);
  for (let round = 0; round < removalsMax; round += 1) {
    const [worst] = deepestOf(errorsIn(part, schema));
    if (worst === undefined) return part;
    if (!remove(part, worst.instanceLocation)) return undefined;
  }
  return undefined;
}

function errorsIn(value: Json, schema: JsonObject): OutputUnit[] {
  try {
    return new Validator(withoutPatterns(schema), '2020-12', false).validate(value).errors;
  } catch (error) {
    // A reference without a target, or a circular one: no value fits such a schema.
    const because = error instanceof Error ? error.message : String(error);
    return [{ keyword: 'schema', keywordLocation: '#', instanceLocation: '#', error: because }];
  }
}

/** An error in a property is also reported for the objects around it. Only the innermost errors are useful. */
function deepestOf(errors: readonly OutputUnit[]): OutputUnit[] {
  const depths = errors.map(({ instanceLocation }) => instanceLocation.split('/').length);
  const most = Math.max(...depths, 0);
  return errors.filter((_, index) => depths[index] === most);
}

function contextOf(location: string): string {
  return location === '#' ? 'The answer' : keysOf(location).join('.');
}

function keysOf(location: string): string[] {
  return location
    .replace(/^#\/?/, '')
    .split('/')
    .filter((key) => key !== '')
    .map((key) => decoded(key).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

function remove(value: Json, location: string): boolean {
  const keys = keysOf(location);
  const last = keys.pop();
  if (last === undefined) return false;
  const parent = keys.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key)
        ? (inner as Record<string, unknown>)[key]
        : undefined,
    value,
  );
  if (Array.isArray(parent)) return parent.splice(Number(last), 1).length > 0;
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, last)) return false;
  return delete (parent as Record<string, unknown>)[last];
}
