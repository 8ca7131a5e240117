import type { AnyActorRef } from 'xstate';
import type { World } from './world.ts';

/**
 * Lets a supervisor of items continue after a pause, in which the items that it has started are answered. The code that ends a
 * pause must set `created` of the system's load to 0, or no more items are created.
 *
 * @param supervisor its actor
 */
export type Pause = (supervisor: AnyActorRef, goOn: () => void) => void;

/** The items of all supervisors of an actor system, nested ones too. */
export interface ItemLoad {
  readonly runningMax: number;
  /** Why no more items may run, whatever their number. */
  refusal?: string | undefined;
  running: number;
  /** How many items were created since the last pause of the system. */
  created: number;
}

/** The items that an actor system creates before it pauses: one or two milliseconds. */
export const itemsPerPause = 32;
/** An item whose expressions take this many units of work counts as two. */
export const unitsPerItem = 2_000;

/** The most items that an actor system runs at once: about 200 MB. */
const runningMax = 20_000;

const loads = new WeakMap<object, ItemLoad>();

export function itemLoadOf({ system }: { readonly system: object }): ItemLoad {
  const known = loads.get(system);
  if (known) return known;
  const counts: ItemLoad = { runningMax, running: 0, created: 0 };
  loads.set(system, counts);
  return counts;
}

/** The most pauses of a system in one turn of the event loop. */
const pausesPerTurn = 4;

/** Pauses of actors that continue by themselves. */
export function pausesIn({ nextTurn }: World): Pause {
  const counts = new WeakMap<object, number>();
  return ({ system }, goOn) => {
    const count = (counts.get(system) ?? 0) + 1;
    counts.set(system, count);
    const isLong = nextTurn && count % pausesPerTurn === 0;
    void (isLong ? nextTurn() : firstAnswersArrived()).then(() => {
      itemLoadOf({ system }).created = 0;
      goOn();
    });
  };
}

/** Waits as many microtasks as an immediate answer of a port needs to reach its item. */
async function firstAnswersArrived(): Promise<void> {
  for (let turn = 0; turn < 12; turn += 1) await Promise.resolve();
}

/** The paused supervisors of an actor system, for hosts that end the pauses themselves. */
export class PauseQueue {
  #paused: { readonly place: readonly string[]; readonly goOn: () => void }[] = [];

  get isEmpty(): boolean {
    return this.#paused.length === 0;
  }

  add(supervisor: AnyActorRef, goOn: () => void): void {
    this.#paused.push({ place: placeOf(supervisor), goOn });
  }

  /**
   * Ends pauses until enough items are created. The innermost supervisors continue first, so that few items run at once. The
   * order depends only on their places, so it is the same after a restart.
   */
  goOn(load: ItemLoad): void {
    load.created = 0;
    const paused = this.#paused.toSorted((one, other) => compare(one.place, other.place));
    this.#paused = [];
    let ended = 0;
    while (ended < paused.length && load.created < itemsPerPause) paused[ended++]!.goOn();
    this.#paused.push(...paused.slice(ended));
  }
}

/** The ids of an actor and of its ancestors, the outermost first. */
function placeOf(actor: AnyActorRef): readonly string[] {
  const place: string[] = [];
  // oxlint-disable-next-line no-underscore-dangle -- XState has no public name for it.
  for (let at: AnyActorRef | undefined = actor; at; at = at._parent) place.unshift(at.id);
  return place;
}

function compare(one: readonly string[], other: readonly string[]): number {
  const at = one.findIndex((id, index) => id !== other[index]);
  if (at === -1) return other.length - one.length;
  if (other[at] === undefined) return -1;
  return Number(one[at]) - Number(other[at]) || (one[at]! < other[at] ? -1 : 1);
}
