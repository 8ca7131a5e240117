import { type References, references as referencesOf } from '@dramaturg/compiler/format';
import type { Behaviour } from '@dramaturg/compiler/machine';

/** The functions that a state kind or a block adds to the behaviour of workflows. Lowering refers to these names. */
export type BehaviourPart = Partial<
  Pick<Behaviour, 'contexts' | 'guards' | 'actions' | 'inputs' | 'outputs'>
>;

/** The sections of all parts, each with the names from every part. */
type Composed<Part extends BehaviourPart> = {
  readonly [Name in SectionOf<Part>]: Intersection<
    Part extends Record<Name, infer Own> ? Own : never
  >;
};

type SectionOf<Part> = Part extends unknown ? keyof Part & keyof BehaviourPart : never;

type Intersection<Union> = (Union extends unknown ? (value: Union) => void : never) extends (
  value: infer All,
) => void
  ? All
  : never;

/** Two parts may share a name only for the same function: a block can be part of several kinds. */
export function composed<const Parts extends readonly BehaviourPart[]>(
  ...parts: Parts
): Composed<Parts[number]> {
  const sections: Record<string, Record<string, unknown>> = {};
  for (const part of parts) {
    for (const [section, functions] of Object.entries(part)) {
      sections[section] = { ...sections[section], ...functions };
    }
  }
  return sections as Composed<Parts[number]>;
}

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
