import { ValueLocations } from './value-locations.ts';

/** The result of a parser. Without a value (nothing could be read) there are no locations either. */
export interface ReadContent {
  readonly value: unknown;
  readonly locations: ValueLocations;
}

export function noContent(): ReadContent {
  return { value: undefined, locations: new ValueLocations() };
}
