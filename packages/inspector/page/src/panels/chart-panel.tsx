import { Statechart } from '@dramaturg/react';
import { useState } from 'react';
import type { StateValue } from 'xstate';
import { chartIn } from '../data/derive.ts';
import type { View } from '../use-view.ts';

/** The machine of the actor that is looked at, with the states lit that it is in. */
export function ChartPanel({ view: { actor } }: { readonly view: View }) {
  const [isFull, setFull] = useState(false);
  const chart = chartIn(actor);
  // Of a machine that was not compiled there is no shorter way to draw it.
  const isCompiled = actor?.definition?.includes('"origin":') === true;
  return (
    <section className="chart" aria-label="Statechart">
      <div className="panel-head">
        <h2>{actor?.name ?? 'Nobody is there yet'}</h2>
        {isCompiled && (
          <label>
            <input
              type="checkbox"
              checked={isFull}
              onChange={({ target }) => setFull(target.checked)}
            />
            every node
          </label>
        )}
      </div>
      {chart ? (
        <Statechart
          key={chart.id}
          chart={chart}
          value={actor?.snapshot.value as StateValue | undefined}
          detail={isFull || !isCompiled ? 'full' : 'overview'}
        />
      ) : (
        <p className="dg-empty">
          {actor ? 'This actor is no machine.' : 'Waiting for the first actor.'}
        </p>
      )}
    </section>
  );
}
