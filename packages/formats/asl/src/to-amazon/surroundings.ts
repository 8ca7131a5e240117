import type { JsonObject, Path } from '@dramaturg/compiler';
import type { QueryLanguage } from '../definition/index.ts';
import type { Exporting } from './gap.ts';

/** The data that a state needs from the workflow around it. */
export interface Surroundings {
  readonly exporting: Exporting;
  readonly language: QueryLanguage;
  readonly machine: (machine: JsonObject, at: Path, around: Surroundings) => JsonObject;
}
