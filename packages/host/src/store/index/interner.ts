import type { DefinitionVersion } from '../contract.ts';

/** The number of values that are shared. More values are data rather than words of a host, and not worth sharing. */
const valuesMax = 10_000;

/** Stores equal values once, so that 100,000 records share them. */
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
