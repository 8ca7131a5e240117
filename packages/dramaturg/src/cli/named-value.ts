import type { Json, JsonObject } from '@dramaturg/compiler';
import { visible } from '@dramaturg/compiler/text';
import { UsageError } from './usage-error.ts';

/**
 * Adds the `name=value` of an option that may be repeated.
 *
 * @param what the kind of thing that has the name: "placeholder"
 * @param example how to write the option
 */
export function withNamedValue(
  given: string,
  before: JsonObject,
  read: (value: string) => Json,
  what: string,
  example: string,
): JsonObject {
  const equals = given.indexOf('=');
  if (equals < 1) {
    throw new UsageError(
      `The ${what} "${visible(given)}" has no value.`,
      `Write it like this: ${example}`,
    );
  }
  // Not a spread: the name may be "__proto__".
  return Object.fromEntries([
    ...Object.entries(before),
    [given.slice(0, equals), read(given.slice(equals + 1))],
  ]);
}
