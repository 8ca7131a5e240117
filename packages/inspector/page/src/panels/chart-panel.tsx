import { Statechart } from '@dramaturg/react';
import { useMemo, useState } from 'react';
import type { StateValue } from 'xstate';
import type { RecordedActor } from '../../../src/recording.ts';
import type { CoverageControls } from '../coverage/coverage-panel.tsx';
import { actorTitle, machineAround, nodeOfItems } from '../data/actor-names.ts';
import type { PlacedNode } from '../data/chart-nodes.ts';
import type { Connection } from '../data/connection.ts';
import { chartIn, visitedIn } from '../data/derive.ts';
import { failedIn, hasFailed } from '../data/failure.ts';
import type { Actors } from '../data/playback.ts';
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
  // A supervisor of items and a call have no chart: the chart of their caller shows their position.
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

/** The marks in the chart of an actor: its current states, those of its items, and the progress of its items. */
interface ChartMarks {
  readonly values: readonly StateValue[];
  readonly progress: readonly {
    readonly state: readonly string[];
    readonly ended: number;
    readonly total: number;
  }[];
  readonly isFailed: boolean;
}

function marksIn(actor: RecordedActor, actors: Actors): ChartMarks {
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
