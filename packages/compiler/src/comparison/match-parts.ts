import type { Json } from '../json.ts';
import type { DefinitionPart } from './definition-part.ts';

/** The parts of two lists that are the same part. */
export interface MatchedParts {
  /** In the order of the new list. */
  readonly pairs: readonly (readonly [before: DefinitionPart, after: DefinitionPart])[];
  readonly removed: readonly DefinitionPart[];
  readonly added: readonly DefinitionPart[];
}

/** From this similarity on, two parts with different names are the same part. */
const similarityMin = 0.6;
/** Parts with fewer common words are too small to be recognised by content. */
const commonWordsMin = 3;
/** Content is compared pair by pair, so only in lists up to this length. */
const comparedMax = 200;

/**
 * Finds the parts of two lists that belong together: parts with the same name, then those with similar content.
 *
 * @param references fields that name other parts
 * @param isSameName whether two names are the same, such as two transitions to a state that was renamed
 */
export function matchParts(
  before: readonly DefinitionPart[],
  after: readonly DefinitionPart[],
  references: Readonly<Record<string, string>>,
  isSameName: (before: DefinitionPart, after: DefinitionPart) => boolean,
): MatchedParts {
  const partners = new Map<DefinitionPart, DefinitionPart>();
  const taken = new Set<DefinitionPart>();
  const pair = (one: DefinitionPart, other: DefinitionPart) => {
    partners.set(other, one);
    taken.add(one);
  };
  const isFree = (one: DefinitionPart, other: DefinitionPart) =>
    !taken.has(one) && !partners.has(other);
  const byName = (isToo: (one: DefinitionPart, other: DefinitionPart) => boolean) => {
    for (const other of after)
      for (const one of before)
        if (isFree(one, other) && isSameName(one, other) && isToo(one, other)) {
          pair(one, other);
          break;
        }
  };
  // Several parts may have one name, such as transitions to the same state: equal ones are matched first.
  if (new Set(after.map(({ name }) => name)).size < after.length) byName(isEqualPart);
  byName(() => true);
  for (const [one, other] of similarPairs(
    before.filter((each) => !taken.has(each)),
    after.filter((each) => !partners.has(each)),
    references,
  ))
    if (isFree(one, other)) pair(one, other);
  return {
    pairs: after.flatMap((other) =>
      partners.has(other) ? [[partners.get(other)!, other] as const] : [],
    ),
    removed: before.filter((one) => !taken.has(one)),
    added: after.filter((other) => !partners.has(other)),
  };
}

/** Pairs of similar parts, the most similar first. */
function similarPairs(
  before: readonly DefinitionPart[],
  after: readonly DefinitionPart[],
  references: Readonly<Record<string, string>>,
): readonly (readonly [DefinitionPart, DefinitionPart])[] {
  if (before.length > comparedMax || after.length > comparedMax) return [];
  const words = new Map<DefinitionPart, PartWords>(
    [...before, ...after].map((part) => [part, wordsIn(part, references)]),
  );
  const found: {
    readonly pair: readonly [DefinitionPart, DefinitionPart];
    readonly by: number;
    readonly order: readonly [number, number];
  }[] = [];
  for (const [from, one] of before.entries()) {
    // A part without a name of its own is identified by its content.
    const wordsMin = one.kind?.id === undefined ? 1 : commonWordsMin;
    for (const [to, other] of after.entries()) {
      const [first, second] = [words.get(one)!, words.get(other)!];
      const by = similarityOf(first, second);
      if (by >= similarityMin && commonWords(first, second) >= wordsMin)
        found.push({ pair: [one, other], by, order: [Math.abs(from - to), from + to] });
    }
  }
  // Among equally similar pairs, the nearest come first, so that a comparison in the other direction finds the same pairs.
  return found
    .toSorted((a, b) => b.by - a.by || a.order[0] - b.order[0] || a.order[1] - b.order[1])
    .map(({ pair }) => pair);
}

/** Whether two parts have the same content. */
function isEqualPart(one: DefinitionPart, other: DefinitionPart): boolean {
  if (one.fields.size !== other.fields.size || one.lists.size !== other.lists.size) return false;
  for (const [name, { value }] of one.fields) {
    const counterpart = other.fields.get(name);
    if (!counterpart || JSON.stringify(value) !== JSON.stringify(counterpart.value)) return false;
  }
  for (const [name, parts] of one.lists) {
    const counterparts = other.lists.get(name);
    if (counterparts?.length !== parts.length) return false;
    if (!parts.every((part, index) => isEqualPart(part, counterparts[index]!))) return false;
  }
  return true;
}

/** The content of a part, as words with their counts. */
type PartWords = ReadonlyMap<string, number>;

/** The words in a part, at any depth. Its own name does not count, and neither do fields that name other parts. */
function wordsIn(part: DefinitionPart, references: Readonly<Record<string, string>>): PartWords {
  const words = new Map<string, number>();
  const add = (word: string) => words.set(word, (words.get(word) ?? 0) + 1);
  const visit = ({ fields, lists }: DefinitionPart): void => {
    for (const [name, { value }] of fields)
      if (!Object.hasOwn(references, name))
        for (const word of wordsOf(value)) add(`${name} ${word}`);
    for (const [list, parts] of lists) {
      for (const inner of parts) {
        add(`${list} ${inner.name}`);
        visit(inner);
      }
    }
  };
  visit(part);
  return words;
}

/** How much two parts have in common: 0 is nothing, 1 is all. */
function similarityOf(one: PartWords, other: PartWords): number {
  const [all, common] = [sizeOf(one) + sizeOf(other), commonWords(one, other)];
  return all === 0 ? 0 : (2 * common) / all;
}

/** How many words two parts have in common. */
function commonWords(one: PartWords, other: PartWords): number {
  let common = 0;
  for (const [word, count] of one) common += Math.min(count, other.get(word) ?? 0);
  return common;
}

function sizeOf(words: PartWords): number {
  let size = 0;
  for (const count of words.values()) size += count;
  return size;
}

/** Empty values are defaults, so they do not identify a part. */
function wordsOf(value: Json): readonly string[] {
  if (typeof value === 'string') return value.split(/\s+/).filter(Boolean);
  if (value === null || value === false) return [];
  if (Array.isArray(value) && value.length === 0) return [];
  return [JSON.stringify(value)];
}
