import { useEffect, useMemo, useState } from 'react';
import type { Connection } from './data/connection.ts';
import { type Comparison, compareRuns, type Doing, doingsIn } from './data/comparison.ts';
import { loadDoings } from './data/load-run.ts';

/** How far a run is loaded: from the step `first` to the step `last`. */
export interface LoadProgress {
  readonly run: string;
  readonly first: number;
  readonly last: number;
}

export interface WholeRuns {
  /** Undefined until both runs are loaded. */
  readonly comparison: Comparison | undefined;
  readonly progress: LoadProgress | undefined;
  readonly problem: string | undefined;
}

/** Compares the whole of the shown run with the whole of another one. The shown run may go on while it is compared. */
export function useWholeRuns(connection: Connection, other: string): WholeRuns {
  const { run = '', playback, until } = connection;
  const firstStep = playback.isStored ? (playback.moments[0]?.number ?? 1) : 1;
  const isCompared = other !== '' && other !== run;
  // The page has the steps from the first one on, or a part from the middle.
  const own = useDoings(isCompared ? run : '', until === undefined ? firstStep - 1 : undefined);
  const others = useDoings(isCompared ? other : '', undefined);
  const { length } = playback.events;
  const comparison = useMemo(() => {
    if (!own.doings || !others.doings) return undefined;
    const shown = until === undefined ? doingsIn(playback) : [];
    return compareRuns([...own.doings, ...shown], others.doings);
  }, [playback, length, until, own.doings, others.doings]);
  return {
    comparison,
    progress: own.progress ?? others.progress,
    problem: own.problem ?? others.problem,
  };
}

interface Loading {
  readonly doings?: readonly Doing[];
  readonly progress?: LoadProgress;
  readonly problem?: string;
}

/** @param until the last step to load; the latest when undefined, none when 0 */
function useDoings(run: string, until: number | undefined): Loading {
  const [loading, setLoading] = useState<Loading>({});
  useEffect(() => {
    setLoading({});
    if (run === '') return undefined;
    const stop = new AbortController();
    const { signal } = stop;
    const show = (next: Loading) => signal.aborted || setLoading(next);
    loadDoings(run, signal, {
      until,
      onProgress: (first, last) => show({ progress: { run, first, last } }),
    }).then(
      (doings) => show({ doings }),
      (error: unknown) => show({ problem: error instanceof Error ? error.message : String(error) }),
    );
    return () => stop.abort();
  }, [run, until]);
  return loading;
}
