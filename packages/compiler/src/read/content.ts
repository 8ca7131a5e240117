import { ValueLocations } from './value-locations.ts';

/** What a parser makes of a text: no value when nothing could be read, and then no locations either. */
export interface ReadContent {
  readonly value: unknown;
  readonly locations: ValueLocations;
}

export function noContent(): ReadContent {
  return { value: undefined, locations: new ValueLocations() };
}
