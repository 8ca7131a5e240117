import { isRecord, type Json } from '../json.ts';
import { stepsOf } from './decision.ts';

/**
 * Builds `edited` of a decision from the fields that a person changed: an object with only these fields, nested like the
 * data of the question.
 *
 * @param edits new texts by field path. A field whose old value is a text takes the new text as it is; any other field
 *   takes it as JSON if it parses.
 */
export function editedFields(
  data: Json | undefined,
  edits: Iterable<readonly [string, string]>,
): Json {
  const edited: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [path, text] of edits) {
    const steps = stepsOf(path);
    const last = steps.pop();
    if (last === undefined) continue;
    let place = edited;
    for (const step of steps) {
      const inner = place[step];
      place = place[step] = (isRecord(inner) ? inner : Object.create(null)) as typeof place;
    }
    place[last] = typeof fieldAt(data, path) === 'string' ? text : readValue(text);
  }
  // Until here, objects have no prototype, so that a field can have any name.
  return JSON.parse(JSON.stringify(edited)) as Json;
}

/** The value at a path such as `$.draft.title`; undefined when the data do not have the path. */
export function fieldAt(data: Json | undefined, path: string): Json | undefined {
  let at: unknown = data;
  for (const step of stepsOf(path)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Record<string, unknown>)[step];
  }
  return at as Json;
}

function readValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
