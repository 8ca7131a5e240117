import { isRecord, type Json } from '../json.ts';
import { stepsOf } from './decision.ts';

/**
 * What a person has changed of the data of a question, as `edited` of their decision: an object with these fields and no
 * others, nested like the data.
 *
 * @param edits texts by the paths of fields; where the data have a text the new one is it too, everywhere else it is read as
 *   JSON, if it is that
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
  // The objects so far have no prototype, so that a field of any name is a field.
  return JSON.parse(JSON.stringify(edited)) as Json;
}

/** What the data have at a path such as `$.draft.title`; undefined when there is nothing. */
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
