import type { JsonObject } from '@dramaturg/compiler';
import type { Field } from './field.ts';
import { wordsOfName } from '@dramaturg/compiler/text';
import { isObject } from './schema.ts';

const forgetting =
  /^\W{0,3}(?:please )?(?:forget|delete|erase|remove) (?:about )?(?:my|the) (.{1,60}?)(?: again)?(?: please)?\W{0,3}$/iu;

/** "Forget my name": the known value that the person takes back, if the schema has a place for it. */
export function withdrawnIn(
  message: string,
  schema: JsonObject,
  fields: readonly Field[],
): JsonObject | undefined {
  const [, what] = forgetting.exec(message) ?? [];
  const { properties } = schema;
  if (what === undefined || !isObject(properties) || !Object.hasOwn(properties, 'withdrawn'))
    return undefined;
  const words = wordsOfName(what).map(({ singular }) => singular);
  const named = fields.filter(
    ({ collected, nameWords }) =>
      collected > 0 && words.every((word) => nameWords.some(({ singular }) => singular === word)),
  );
  const [field] = named;
  return field && named.length === 1 ? { withdrawn: { [field.path.at(-1)!]: true } } : undefined;
}
