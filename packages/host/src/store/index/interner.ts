import type { DefinitionVersion } from '../contract.ts';

/** More would be no words of a host any more but data, which is not worth sharing. */
const valuesMax = 10_000;

/** Equal values as one value, so that what a hundred thousand records have in common is held once. */
export class Interner {
  readonly #texts = new Map<string, string>();
  readonly #definitions = new Map<string, DefinitionVersion>();

  text(text: string): string {
    return intern(this.#texts, text, text);
  }

  definition(definition: DefinitionVersion): DefinitionVersion {
    const { name, version } = definition;
    return intern(this.#definitions, JSON.stringify([name, version]), definition);
  }
}

function intern<Value>(known: Map<string, Value>, key: string, value: Value): Value {
  const first = known.get(key);
  if (first !== undefined) return first;
  if (known.size < valuesMax) known.set(key, value);
  return value;
}
