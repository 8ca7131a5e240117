import { useEffect, useMemo, useRef, useState } from 'react';
import {
  compareRuns,
  type Comparison,
  type Doing,
  doingsIn,
  loadDoings,
} from '../data/load-run.ts';
import type { Connection } from '../data/connection.ts';
import { momentNumbered, type View } from '../use-view.ts';
import { shortText } from '../value-text.ts';

/** Compares the shown run with another one, and marks the first difference. */
export function Compare({
  view,
  connection,
}: {
  readonly view: View;
  readonly connection: Connection;
}) {
  const { runs, run, playback } = connection;
  const [chosen, setChosen] = useState('');
  const others = runs
    .filter(({ id }) => id !== run)
    .toSorted((one, another) => likeness(another.id, run) - likeness(one.id, run));
  const { comparison: compared, progress, problem } = useWholeRuns(connection, chosen);
  const rows = compared ? Math.max(compared.one.length, compared.other.length) : 0;
  const first = compared?.difference ?? rows;
  const from = Math.max(0, first - 20);
  const marked = useRef<HTMLTableRowElement>(null);
  useEffect(() => marked.current?.scrollIntoView({ block: 'center' }), [compared]);
  const go = (doing: Doing | undefined) => {
    if (!doing || run === undefined) return;
    // A step outside the loaded part is loaded first.
    if (playback.isStored) connection.goTo({ run, step: doing.moment });
    else view.go(momentNumbered(view.moments, doing.moment));
  };
  return (
    <div className="compare">
      <label>
        Compare {run} with{' '}
        <select value={chosen} onChange={({ target }) => setChosen(target.value)}>
          <option value="">another run</option>
          {others.slice(0, 200).map(({ id }) => (
            <option key={id}>{id}</option>
          ))}
        </select>
      </label>
      {problem !== undefined && <p role="alert">{problem}</p>}
      {progress && !compared && (
        <p className="hint" role="status">
          Steps {progress.first} to {progress.last} of {progress.run} are loaded.{' '}
          <progress
            aria-label={`Loading ${progress.run}`}
            max={progress.last}
            value={progress.last - progress.first}
          />
        </p>
      )}
      {compared && (
        <>
          <p className="hint" role="status">
            {compared.difference === undefined
              ? 'Both runs did the same.'
              : `The first ${compared.difference} are the same.`}
          </p>
          <table>
            <thead>
              <tr>
                <th scope="col">{run}</th>
                <th scope="col">{chosen}</th>
              </tr>
            </thead>
            <tbody>
              {Array.from({ length: Math.min(rows - from, 120) }, (_, place) => {
                const at = from + place;
                const isFirst = at === compared.difference;
                return (
                  <tr
                    key={at}
                    ref={isFirst ? marked : null}
                    data-difference={isFirst || undefined}
                    data-after={at > first || undefined}
                  >
                    <td>
                      <button
                        type="button"
                        disabled={!compared.one[at]}
                        onClick={() => go(compared.one[at])}
                      >
                        {shortText(compared.one[at]?.words ?? '–')}
                      </button>
                    </td>
                    <td>{shortText(compared.other[at]?.words ?? '–')}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </>
      )}
    </div>
  );
}

/** The length of the common prefix of two ids: a fork begins like its original. */
function likeness(id: string, run: string | undefined = ''): number {
  let count = 0;
  while (count < id.length && id[count] === run[count]) count += 1;
  return count;
}

/** The loaded part of a run, from the step `first` to the step `last`. */
interface LoadProgress {
  readonly run: string;
  readonly first: number;
  readonly last: number;
}

interface WholeRuns {
  /** Undefined until both runs are loaded. */
  readonly comparison: Comparison | undefined;
  readonly progress: LoadProgress | undefined;
  readonly problem: string | undefined;
}

/** Compares the whole of the shown run with the whole of another one. The shown run may grow during the comparison. */
function useWholeRuns(connection: Connection, other: string): WholeRuns {
  const { run = '', playback, until } = connection;
  const firstStep = playback.isStored ? (playback.moments[0]?.number ?? 1) : 1;
  const isCompared = other !== '' && other !== run;
  // The page has the latest steps from `firstStep` on, so only the steps before are loaded. With an earlier part, all are.
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
