import type { Drawing } from '@dramaturg/compiler/chart';
import { type Look, lookOf } from './kinds.ts';

/** A kind of state that a drawing contains. */
export interface LegendEntry {
  /** The format's word. */
  readonly word: string;
  readonly look: Look;
}

/** The kinds of states of a drawing, in the order in which they first occur. */
export function legendOf({ nodes }: Pick<Drawing, 'nodes'>): readonly LegendEntry[] {
  const entries = new Map<string, LegendEntry>();
  for (const node of nodes) {
    const word = node.sort ?? (node.kind === 'final' ? 'end' : undefined);
    if (word === undefined || node.kind === 'history') continue;
    if (!entries.has(word)) entries.set(word, { word, look: lookOf(node) });
  }
  return [...entries.values()];
}
