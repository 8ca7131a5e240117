import type { Json, JsonObject } from '@dramaturg/compiler';
import { without } from './without.ts';
import { dataWith } from './data-with.ts';
import type { Vocabulary } from './vocabulary.ts';

const combinationsMax = 60;

/**
 * Data for compound conditions: the values of the fields that one condition reads, in every combination. Of a condition with many fields
 * each field has fewer values.
 */
export function combinationsOf(vocabulary: Vocabulary): readonly JsonObject[] {
  return vocabulary.readTogether.flatMap((fields) => {
    const each = Math.max(2, Math.floor(combinationsMax ** (1 / fields.length)));
    let combinations: readonly Values[] = [[]];
    for (const field of fields) {
      const candidates = candidatesOf(field, vocabulary).slice(0, each);
      combinations = combinations
        .flatMap((values) => candidates.map((value): Values => [...values, [field, value]]))
        .slice(0, combinationsMax);
    }
    return combinations.map((values) => withValues(values, vocabulary));
  });
}

type Values = readonly (readonly [field: string, value: Json | undefined])[];

/** The values of a field, the most different first; undefined is a missing field. */
function candidatesOf(field: string, vocabulary: Vocabulary): readonly (Json | undefined)[] {
  const [first = 'a text', ...others] = vocabulary.valuesOf(field);
  const isOrdered = typeof first === 'number';
  // The second neighbour of a number is below it: then a comparison holds for one of the two in either direction.
  return isOrdered && others.length > 1
    ? [others[0], others[1], first, undefined, ...others.slice(2)]
    : [first, ...others.slice(0, 1), undefined, ...others.slice(1)];
}

function withValues(values: Values, vocabulary: Vocabulary): JsonObject {
  const given = values.flatMap(([field, value]) => (value === undefined ? [] : [[field, value]]));
  let data: Json = dataWith(vocabulary, Object.fromEntries(given) as Record<string, Json>);
  for (const [field, value] of values) if (value === undefined) data = without(data, field);
  return data as JsonObject;
}
