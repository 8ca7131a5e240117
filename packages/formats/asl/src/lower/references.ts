import { type References, references as referencesOf } from '@dramaturg/compiler/format';
import type { BehaviourPart } from '../behaviour/part.ts';

/** Makes references to one or more parts of the behaviour. A name that the parts do not have is a compile error. */
export function references<Part extends BehaviourPart>(): References<Whole<Part>> {
  return referencesOf<Whole<Part>>();
}

/** A part with the sections that it lacks, empty. */
type Whole<Part extends BehaviourPart> = {
  readonly [Section in keyof BehaviourPart]-?: Section extends keyof Part
    ? NonNullable<Part[Section]>
    : Readonly<Record<string, never>>;
};
