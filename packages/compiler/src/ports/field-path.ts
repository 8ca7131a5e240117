import type { Json } from '../json.ts';

/** The steps of a path: `$.draft['title'][0]` is draft, title, 0. */
export function stepsOf(path: string): string[] {
  const steps: string[] = [];
  for (const [, quoted, index, name] of path.matchAll(/\['([^']*)'\]|\[(\d+)\]|([^.[\]]+)/g)) {
    const step = quoted ?? index ?? name!;
    if (step !== '$') steps.push(step);
  }
  return steps;
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
