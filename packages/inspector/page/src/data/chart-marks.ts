import type { StateValue } from 'xstate';
import type { RecordedActor } from '../../../src/recording.ts';
import { nodeOfItems } from './actor-names.ts';
import type { PlacedNode } from './chart-nodes.ts';
import { hasFailed } from './failure.ts';
import type { Actors } from './playback.ts';

/** What the chart of an actor marks: where it and its items are, and how far its items are. */
export interface ChartMarks {
  readonly values: readonly StateValue[];
  readonly progress: readonly {
    readonly state: readonly string[];
    readonly ended: number;
    readonly total: number;
  }[];
  readonly isFailed: boolean;
}

export function marksIn(actor: RecordedActor, actors: Actors): ChartMarks {
  const values: StateValue[] = [];
  const progress: ChartMarks['progress'][number][] = [];
  const { value } = actor.snapshot;
  if (isStateValue(value)) values.push(value);
  for (const supervisor of actors.values()) {
    if (supervisor.parentId !== actor.sessionId) continue;
    const node = nodeOfItems(supervisor, actor);
    if (!node || supervisor.snapshot.status !== 'active') continue;
    const state = pathOf(node);
    const { items } = supervisor.snapshot;
    if (items) progress.push({ state, ...items });
    for (const item of actors.values()) {
      const isRunning = item.snapshot.status === 'active';
      if (item.parentId !== supervisor.sessionId || !isRunning) continue;
      if (isStateValue(item.snapshot.value)) values.push(nested(state, item.snapshot.value));
    }
  }
  return { values, progress, isFailed: hasFailed(actor) };
}

function pathOf({ parent, key }: PlacedNode): readonly string[] {
  return parent ? [...pathOf(parent), key] : [];
}

function nested(path: readonly string[], value: StateValue): StateValue {
  return path.reduceRight<StateValue>((inner, key) => ({ [key]: inner }), value);
}

function isStateValue(value: unknown): value is StateValue {
  return typeof value === 'string' || (typeof value === 'object' && value !== null);
}
