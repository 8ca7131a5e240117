/** The numbers between two limits. */
export interface NumberRange {
  readonly from: number;
  readonly to: number;
  readonly withFrom: boolean;
  readonly withTo: boolean;
}

export function isWithinRange(inner: NumberRange, outer: NumberRange): boolean {
  const below =
    inner.from > outer.from || (inner.from === outer.from && (outer.withFrom || !inner.withFrom));
  const above = inner.to < outer.to || (inner.to === outer.to && (outer.withTo || !inner.withTo));
  return below && above;
}

export function areDisjoint(one: NumberRange, other: NumberRange): boolean {
  const isBefore = (first: NumberRange, second: NumberRange) =>
    first.to < second.from || (first.to === second.from && !(first.withTo && second.withFrom));
  return isBefore(one, other) || isBefore(other, one);
}
