import { codeOf, isRecord } from '@dramaturg/compiler';
import type { DefinitionCall } from './instance-calls.ts';
import type { ChildRef } from './state.ts';

/**
 * Definitions that run as agents of another: each is an instance of its own below the one that has called it, and the call
 * stays open until that has ended. What one of the two has to do to the other is a letter, which is stored with what made it
 * necessary, and may be carried twice.
 */

/** What lies in the outbox between an instance and those above and below it. */
export type KinLetter =
  /** There has to be a child for a call; the one that has ended says so again. */
  | {
      readonly kind: 'child';
      readonly id: string;
      readonly call: string;
      readonly definition: string;
    }
  /** Nobody waits for the child any more. */
  | { readonly kind: 'abandon'; readonly id: string }
  /** The child has ended: the call is answered. */
  | { readonly kind: 'ended'; readonly parent: string; readonly call: string };

/** How deep definitions may run one another: deeper ones go round in a circle. */
export const deepestNesting = 16;

export function isKinLetter(body: unknown): body is KinLetter {
  return isRecord(body) && ['child', 'abandon', 'ended'].includes(String(body['kind']));
}

const codeLength = 10;

/** By how much the id of a child is longer than that of its parent. */
export const childIdGrowth = 1 + codeLength;

/** The same child for the same call, however often it is made. */
function childId(parent: string, { key }: { readonly key: string }): string {
  return `${parent}.${codeOf(key, codeLength)}`;
}

/** What has come of the calls that are open, and of the children that there are. */
export interface ChildChanges {
  readonly children: Readonly<Record<string, ChildRef>>;
  /** Letters to add, by their ids, and ids of those that are not wanted any more. */
  readonly letters: readonly (readonly [id: string, letter: KinLetter])[];
  readonly unwanted: readonly string[];
}

/**
 * Compares the calls that definitions answer with the children that there are.
 *
 * @param turn of the instance; null while it stands still, when its calls cannot be seen and its children go on. A turn that
 *   takes up where another was has its children tell again what it may have missed.
 */
export function childChanges(
  parent: string,
  before: Readonly<Record<string, ChildRef>>,
  calls: ReadonlyMap<string, DefinitionCall>,
  turn: string | null,
  hasEnded: boolean,
): ChildChanges {
  if (turn === null && !hasEnded) return { children: before, letters: [], unwanted: [] };
  const children: Record<string, ChildRef> = {};
  const letters: [string, KinLetter][] = [];
  const unwanted: string[] = [];
  for (const [letter, { call, definition }] of calls) {
    const known = Object.hasOwn(before, letter) ? before[letter] : undefined;
    const id = known?.id ?? childId(parent, call);
    children[letter] = { id, turn: turn! };
    if (known?.turn !== turn)
      letters.push([`child:${id}`, { kind: 'child', id, call: letter, definition }]);
  }
  for (const [letter, { id }] of Object.entries(before)) {
    if (Object.hasOwn(children, letter)) continue;
    unwanted.push(`child:${id}`);
    letters.push([`abandon:${id}`, { kind: 'abandon', id }]);
  }
  return { children, letters, unwanted };
}
