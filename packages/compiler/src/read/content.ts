import { Places } from './places.ts';

/** What a parser makes of a text: no value when nothing could be read, and then no places either. */
export interface Content {
  readonly value: unknown;
  readonly places: Places;
}

export function noContent(): Content {
  return { value: undefined, places: new Places() };
}
