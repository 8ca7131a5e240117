import { timersIn } from '../data/derive.ts';
import { useClock } from '../use-clock.ts';
import type { View } from '../use-view.ts';
import { durationText } from '@dramaturg/react';

/** The running timers. For a past moment, they are those at its time. */
export function Timers({ view, isLive }: { readonly view: View; readonly isLive: boolean }) {
  const clock = useClock(view, isLive);
  const timers = timersIn(view.calls);
  if (timers.length === 0) return <p className="dg-empty">No running timers.</p>;
  return (
    <dl className="timers">
      {timers.map(({ key, askedBy, at }) => (
        <div key={key}>
          <dt>
            {askedBy}
            <small>{key}</small>
          </dt>
          <dd>
            {at <= clock ? 'due' : `in ${durationText(at - clock)}`}
            <time dateTime={new Date(at).toISOString()}>{new Date(at).toLocaleString()}</time>
          </dd>
        </div>
      ))}
    </dl>
  );
}
