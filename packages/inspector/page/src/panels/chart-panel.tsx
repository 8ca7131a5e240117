import { Statechart } from '@dramaturg/react';
import { useMemo, useState } from 'react';
import type { CoverageControls } from '../coverage/use-coverage.ts';
import { actorTitle, machineAround } from '../data/actor-names.ts';
import { marksIn } from '../data/chart-marks.ts';
import type { Connection } from '../data/connection.ts';
import { chartIn, visitedIn } from '../data/derive.ts';
import { failedIn } from '../data/failure.ts';
import type { View } from '../use-view.ts';

interface ChartPanelProps {
  readonly coverage: CoverageControls;
  readonly onCover: (isOn: boolean) => void;
  readonly view: View;
  readonly connection: Connection;
}

/** The chart of the selected actor, with its current states highlighted, or with coverage in place of the run's marks. */
export function ChartPanel({ view, connection, coverage, onCover }: ChartPanelProps) {
  const { count, actors } = view;
  const [isFull, setFull] = useState(false);
  // The supervisor of items and a call have no chart: that of their caller shows where they are.
  const actor = machineAround(view.actor, actors);
  const chart = chartIn(actor);
  const marks = useMemo(() => actor && marksIn(actor, actors), [actor, actors]);
  const { events } = connection.playback;
  const sessionId = actor?.sessionId ?? '';
  const visited = useMemo(() => visitedIn(events, count, sessionId), [events, count, sessionId]);
  const failed = useMemo(
    () => actor && failedIn(actor, events, count)?.state,
    [actor, events, count],
  );
  // A machine that was not compiled has no overview.
  const isCompiled = actor?.definition?.includes('"origin":') === true;
  return (
    <section className="chart" aria-label="Statechart">
      <div className="panel-head">
        <h2>{actor ? actorTitle(actor, actors) : 'No actors yet'}</h2>
        {isCompiled && (
          <div className="choices">
            <label>
              <input
                type="checkbox"
                checked={coverage.isOn}
                onChange={({ target }) => onCover(target.checked)}
              />
              coverage
            </label>
            <label>
              <input
                type="checkbox"
                checked={isFull}
                onChange={({ target }) => setFull(target.checked)}
              />
              every node
            </label>
          </div>
        )}
      </div>
      {chart ? (
        <Statechart
          key={chart.id}
          chart={chart}
          {...(coverage.isOn
            ? { coverage: coverage.units, highlighted: coverage.selected }
            : {
                value: marks?.values,
                progress: marks?.progress,
                visited,
                isFailed: marks?.isFailed,
                failedIn: failed,
              })}
          detail={isFull || !isCompiled ? 'full' : 'overview'}
        />
      ) : (
        <p className="dg-empty">
          {view.actor ? 'This actor is not a machine.' : 'Waiting for the first actor.'}
        </p>
      )}
    </section>
  );
}
