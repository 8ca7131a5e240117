import { isRecord, type Json, type JsonObject } from '../json.ts';

/**
 * Writes a part that occurs several times once, under `definitions`, with the name of the field that has it. Descriptions stay in their
 * places.
 */
export function hoistRepeated(schema: JsonObject): JsonObject {
  const times = new Map<string, number>();
  count(schema, times);
  const names = new Map<string, string>();
  const parts: Record<string, JsonObject> = {};
  const { definitions = {}, ...root } = schema;
  const taken = new Set(Object.keys(definitions as JsonObject));

  const hoisted = (value: Json, name: string): Json => {
    if (Array.isArray(value)) return value.map((item) => hoisted(item, name));
    if (!isRecord(value)) return value;
    const inner = (part: JsonObject): JsonObject => {
      const entries = Object.entries(part).map(([key, item]) => [
        key,
        hoisted(item, nameIn(key, part, name)),
      ]);
      return Object.fromEntries(entries) as JsonObject;
    };
    const { description, ...own } = value;
    const key = JSON.stringify(own);
    if (!isPart(value) || (times.get(key) ?? 0) < 2) return inner(value);
    let known = names.get(key);
    if (known === undefined) {
      known = unused(name, taken);
      names.set(key, known);
      parts[known] = inner(own);
    }
    const reference = { $ref: `#/definitions/${known}` };
    // Draft 7 ignores what is next to "$ref".
    return description === undefined ? reference : { description, allOf: [reference] };
  };

  const own = hoisted(root, 'Part') as JsonObject;
  const others = hoisted({ properties: definitions }, 'Part') as { properties: JsonObject };
  const all = { ...others.properties, ...parts };
  return Object.keys(all).length === 0 ? own : { ...own, definitions: all };
}

function isPart(value: object): boolean {
  return Object.hasOwn(value, 'properties') && Object.hasOwn(value, 'type');
}

function count(value: Json, times: Map<string, number>): void {
  if (Array.isArray(value)) {
    for (const item of value) count(item, times);
  } else if (isRecord(value)) {
    if (isPart(value)) {
      const { description: _, ...own } = value;
      const key = JSON.stringify(own);
      times.set(key, (times.get(key) ?? 0) + 1);
    }
    for (const item of Object.values(value)) count(item, times);
  }
}

/** Keys of `properties` are names; keywords keep the name of the field that has them. */
function nameIn(key: string, part: JsonObject, name: string): string {
  const isKeyword =
    Object.hasOwn(part, 'properties') || /^(?:if|then|else|items|allOf|anyOf)$/.test(key);
  return isKeyword || key.includes('$') ? name : key;
}

/** @param taken gets the name */
function unused(name: string, taken: Set<string>): string {
  const word = `${name.charAt(0).toUpperCase()}${name.slice(1)}`.replaceAll(/\W/g, '');
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? word : `${word}${number}`;
    if (taken.has(candidate)) continue;
    taken.add(candidate);
    return candidate;
  }
}
