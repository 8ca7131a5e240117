import { useEffect, useMemo, useState } from 'react';
import type { Connection } from '../data/connection.ts';
import { reachedByParts, reachedIn, type Reached } from '../data/coverage/reached.ts';
import { loadParts } from '../data/load-run.ts';
import type { View } from '../use-view.ts';

/** The runs that are counted at most, the most recently changed first. */
const mostRuns = 200;

/** What the shown run, or all runs, have reached. */
export interface ReachedByRuns {
  readonly runs: readonly Reached[];
  /** How many runs are still to be loaded. */
  readonly waiting: number;
  /** How many runs could not be loaded. */
  readonly failed: number;
}

interface Loaded {
  /** Undefined when the run could not be loaded. */
  readonly reached: Reached | undefined;
  readonly updatedAt: number;
}

/** @param which nothing is counted when it is left out */
export function useReached(
  { count }: View,
  { playback, runs, run }: Connection,
  which: 'run' | 'all' | undefined,
): ReachedByRuns {
  const [loaded, setLoaded] = useState<ReadonlyMap<string, Loaded>>(new Map());
  const shown = useMemo(
    () => (which ? [reachedIn(playback, which === 'all' ? undefined : count)] : []),
    [which, playback, count],
  );
  const others = useMemo(
    () =>
      runs
        .filter(({ id }) => which === 'all' && id !== run)
        .toSorted((one, other) => other.updatedAt - one.updatedAt)
        .slice(0, mostRuns - 1),
    [which, runs, run],
  );
  const all = useMemo(
    () => [...shown, ...others.flatMap(({ id }) => loaded.get(id)?.reached ?? [])],
    [shown, others, loaded],
  );
  const waiting = others.filter(({ id }) => !loaded.has(id));
  // Runs that go on are loaded again, after all others, and one at a time.
  const next = waiting[0] ?? others.find((each) => loaded.get(each.id)!.updatedAt < each.updatedAt);
  useEffect(() => {
    if (!next) return undefined;
    const stop = new AbortController();
    const { id, updatedAt } = next;
    const keep = (reached: Reached | undefined) => {
      if (!stop.signal.aborted)
        setLoaded((before) => new Map(before).set(id, { reached, updatedAt }));
    };
    loadParts(id, stop.signal, (part) => reachedIn(part)).then(
      (parts) => keep(reachedByParts(parts)),
      () => keep(undefined),
    );
    return () => stop.abort();
    // A run that goes on meanwhile is loaded to its end first.
  }, [next?.id, loaded]);
  const failed = others.filter(({ id }) => loaded.has(id) && !loaded.get(id)!.reached).length;
  return { runs: all, waiting: waiting.length, failed };
}
