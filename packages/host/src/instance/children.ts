import { shortCode } from '@dramaturg/compiler/machine';
import type { DefinitionCall } from './instance-calls.ts';
import type { FamilyLetter } from './letter.ts';
import type { ChildRef } from './state.ts';

/**
 * A definition that is called as an agent runs as a child: an instance of its own. The call stays open until the child has
 * ended. Parent and child exchange letters. A letter is stored in the same write as the change that caused it, and is
 * delivered idempotently.
 */

const codeLength = 10;

/** How much longer a child's id is than its parent's. */
export const childIdGrowth = 1 + codeLength;

/** The same call always gets the same child. */
export function childId(parent: string, { key }: { readonly key: string }): string {
  return `${parent}.${shortCode(key, codeLength)}`;
}

/** The children that the open calls need, and the letters that start and abandon children. */
export interface ChildChanges {
  readonly children: Readonly<Record<string, ChildRef>>;
  /** Letters to add, and ids of the letters to remove. */
  readonly letters: readonly (readonly [id: string, letter: FamilyLetter])[];
  readonly obsolete: readonly string[];
}

/**
 * Compares the open calls that children answer with the children that exist.
 *
 * @param turn the id of the turn; null between turns, when the calls are not visible and the children continue. A new turn asks
 *   all its children again, because it may have missed an ending.
 */
export function childChanges(
  parent: string,
  before: Readonly<Record<string, ChildRef>>,
  calls: ReadonlyMap<string, DefinitionCall>,
  turn: string | null,
  hasEnded: boolean,
): ChildChanges {
  if (turn === null && !hasEnded) return { children: before, letters: [], obsolete: [] };
  const children: Record<string, ChildRef> = {};
  const letters: [string, FamilyLetter][] = [];
  const obsolete: string[] = [];
  for (const [letter, { call, definition }] of calls) {
    const known = Object.hasOwn(before, letter) ? before[letter] : undefined;
    const id = known?.id ?? childId(parent, call);
    children[letter] = { id, turn: turn! };
    if (known?.turn !== turn)
      letters.push([`child:${id}`, { kind: 'child', id, call: letter, definition }]);
  }
  for (const [letter, { id }] of Object.entries(before)) {
    if (Object.hasOwn(children, letter)) continue;
    obsolete.push(`child:${id}`);
    letters.push([`abandon:${id}`, { kind: 'abandon', id }]);
  }
  return { children, letters, obsolete };
}
