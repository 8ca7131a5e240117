import { type ReactNode, useMemo } from 'react';
import { type CallBar, timelineOf, turnBegin } from '../data/call-timeline.ts';
import type { Call } from '../data/derive.ts';
import type { Playback } from '../data/playback.ts';
import { useClock } from '../use-clock.ts';
import type { View } from '../use-view.ts';
import { durationText } from '../value-text.ts';

interface TurnTimelineProps {
  readonly view: View;
  readonly playback: Playback;
  readonly isLive: boolean;
  readonly onPick: (call: Call) => void;
}

/** The calls of the shown turn as bars below each other, as long as each took. Waits for people are shown separately. */
export function TurnTimeline({ view, playback, isLive, onPick }: TurnTimelineProps) {
  const { calls, count } = view;
  const now = useClock(view, isLive);
  const begin = useMemo(() => turnBegin(playback.events, count), [playback, count]);
  const { bars, gaps, waits, durationMs } = useMemo(
    () => timelineOf(calls, begin, now),
    [calls, begin, now],
  );
  if (bars.length + waits.length === 0) return null;
  return (
    <section className="turn" aria-label="Calls of the turn">
      <h3>
        The turn{' '}
        <span>
          {bars.length} {bars.length === 1 ? 'call' : 'calls'}, {durationText(durationMs)}
        </span>
      </h3>
      <ol>
        {bars.map((bar) => (
          <li key={bar.call.sessionId}>
            <TurnRow {...bar} now={now} onPick={onPick}>
              {gaps.map(({ at, durationMs: left }) => (
                <i
                  key={at}
                  className="gap"
                  style={{ left: percent(at) }}
                  title={`${durationText(left)} without a call`}
                />
              ))}
            </TurnRow>
          </li>
        ))}
      </ol>
      {bars.length > 0 && <Axis durationMs={durationMs} />}
      {waits.length > 0 && (
        <>
          <h3>Waiting for people</h3>
          <ol>
            {waits.map((call) => (
              <li key={call.sessionId}>
                <TurnRow call={call} from={0} to={1} attempt={1} now={now} onPick={onPick} />
              </li>
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

/** The axis with the time of calls since the beginning of the turn. */
function Axis({ durationMs }: { readonly durationMs: number }) {
  return (
    <div className="turn-row turn-axis" aria-hidden>
      <span />
      <span className="turn-ticks">
        {[0, 0.5, 1].map((part) => (
          <span key={part}>{part === 0 ? '0' : durationText(part * durationMs)}</span>
        ))}
      </span>
    </div>
  );
}

interface TurnRowProps extends CallBar {
  readonly now: number;
  readonly onPick: (call: Call) => void;
  readonly children?: ReactNode;
}

function TurnRow({ call, from, to, attempt, now, onPick, children }: TurnRowProps) {
  const { port, status, askedAt, endedAt } = call;
  const duration = durationText((endedAt ?? now) - askedAt);
  const words = [subjectOf(call), attempt > 1 ? `attempt ${attempt}` : undefined]
    .filter((word) => word !== undefined)
    .join(' · ');
  return (
    <button
      type="button"
      className="row turn-row"
      data-status={status}
      data-repeated={attempt > 1 || undefined}
      data-person={port === 'requestDecision' || undefined}
      title={`${port} ${words}: ${status}, ${duration}`}
      onClick={() => onPick(call)}
    >
      <span className="turn-name">{words}</span>
      <span className="turn-track">
        {children}
        <i className="turn-bar" style={{ left: percent(from), width: percent(to - from) }} />
      </span>
      <span className="turn-time">
        {duration}
        {status === 'open' ? ' …' : ''}
      </span>
    </button>
  );
}

/** The agent or tool that is called, or the port. */
function subjectOf({ port, input }: Call): string {
  const { agent, tool } = Object(input) as Readonly<Record<string, unknown>>;
  return [agent, tool].find((name) => typeof name === 'string') ?? port;
}

function percent(part: number): string {
  return `${(100 * part).toFixed(2)}%`;
}
