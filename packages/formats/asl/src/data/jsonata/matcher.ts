import type { Evaluating } from './evaluating.ts';
import { LinearRegex } from './linear-regex.ts';
import { type Callable, CodedError, fieldOf, isCallable } from './values.ts';
import { LimitError } from '../work.ts';

/** Units to compile a pattern, for each of its characters and of its instructions. */
const compileUnits = 400;
const unitsPerCharacter = 20;
/** Units to begin a search, and instructions of a pattern times characters that a search reads that cost a unit. */
const [searchUnits, stepsPerUnit] = [8, 48];

/** A match of a pattern, or of a function that searches like one. */
export interface Found {
  readonly match: string;
  readonly start: number;
  readonly end: number;
  readonly groups: readonly string[];
}

/** A pattern as a function of a string: its first match has a function for the next one. */
export function createMatcher(pattern: RegExp, { work }: Evaluating): Callable {
  work.spend(compileUnits + pattern.source.length * unitsPerCharacter);
  const regex = compiled(pattern);
  work.spend(regex.size * unitsPerCharacter);
  const search = (text: string, from: number): unknown => {
    work.spend(searchUnits);
    const before = regex.reads;
    regex.lastIndex = from;
    const found = regex.exec(text);
    work.spend(((regex.reads - before) * Math.max(regex.size, 8)) / stepsPerUnit);
    if (!found) return undefined;
    const [match, ...groups] = found;
    const end = regex.lastIndex;
    const next = (): unknown => {
      if (end >= text.length) return undefined;
      const following = search(text, end);
      // It would never come to an end.
      if (fieldOf(following, 'match') === '')
        throw new CodedError('D1004', { value: pattern.source });
      return following;
    };
    return { match, start: found.index, end, groups, next: callable(next) };
  };
  return callable(([text, from]) => search(text as string, (from as number | undefined) ?? 0));
}

function compiled(pattern: RegExp): LinearRegex {
  try {
    return new LinearRegex(pattern);
  } catch (error) {
    throw new LimitError(
      `the pattern ${String(pattern)} has a look-around or a back-reference, which are not matched in linear time`,
      { cause: error },
    );
  }
}

function callable(call: (args: readonly unknown[]) => unknown): Callable {
  return Object.assign(call, { arity: 1 });
}

/** The matches of a pattern or of a function in a string. */
export function* matchesOf(
  evaluator: Evaluating,
  matcher: unknown,
  text: string,
): Generator<Found> {
  let found = evaluator.apply(matcher, [text]);
  while (found !== undefined) {
    const [match, start, end, groups, next] = ['match', 'start', 'end', 'groups', 'next'].map(
      (field) => fieldOf(found, field),
    );
    const isMatch =
      typeof match === 'string' &&
      typeof start === 'number' &&
      typeof end === 'number' &&
      Array.isArray(groups) &&
      isCallable(next);
    if (!isMatch) throw new CodedError('T1010');
    evaluator.work.spend(2 + match.length / 32);
    yield { match, start, end, groups: groups as string[] };
    found = evaluator.apply(next, []);
  }
}
