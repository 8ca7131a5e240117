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
}

interface Loaded {
  readonly reached: Reached;
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
  const waiting = others.filter(({ id, updatedAt }) => loaded.get(id)?.updatedAt !== updatedAt);
  const [next] = waiting;
  useEffect(() => {
    if (!next) return undefined;
    const stop = new AbortController();
    const { id, updatedAt } = next;
    const keep = (reached: Reached) => {
      if (!stop.signal.aborted)
        setLoaded((before) => new Map(before).set(id, { reached, updatedAt }));
    };
    loadParts(id, stop.signal, (part) => reachedIn(part)).then(
      (parts) => keep(reachedByParts(parts)),
      // A run that was erased in the meantime has reached nothing.
      () => keep(new Map()),
    );
    return () => stop.abort();
  }, [next?.id, next?.updatedAt]);
  return { runs: all, waiting: waiting.length };
}
