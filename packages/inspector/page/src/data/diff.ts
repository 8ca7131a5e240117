/** A changed part of a value. */
export interface Change {
  readonly path: readonly string[];
  /** Undefined if the part is new. */
  readonly before: unknown;
  readonly after: unknown;
}

/** Maximum number of changes. With more, the whole value counts as one change. */
const mostChanges = 200;

/** The changes from one plain JSON value to another, in the order of the parts. */
export function changesBetween(before: unknown, after: unknown): readonly Change[] {
  const changes: Change[] = [];
  compare(before, after, [], changes);
  return changes.slice(0, mostChanges);
}

function compare(
  before: unknown,
  after: unknown,
  path: readonly string[],
  changes: Change[],
): void {
  if (changes.length > mostChanges || Object.is(before, after)) return;
  if (isParted(before) && isParted(after) && Array.isArray(before) === Array.isArray(after)) {
    const [one, other] = [before as Record<string, unknown>, after as Record<string, unknown>];
    for (const key of new Set([...Object.keys(one), ...Object.keys(other)]))
      compare(one[key], other[key], [...path, key], changes);
    return;
  }
  changes.push({ path, before, after });
}

function isParted(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Whether two plain JSON values are equal. */
export function isSame(one: unknown, other: unknown): boolean {
  return changesBetween(one, other).length === 0;
}
