import { durationText } from '@dramaturg/react';
import { type ReactNode, useMemo } from 'react';
import type { Call } from '../data/derive.ts';
import type { Playback } from '../data/playback.ts';
import type { View } from '../use-view.ts';
import { timeText } from '../value-text.ts';
import { type CallBar, timelineOf, turnBegin } from '../data/call-timeline.ts';
import { useClock } from '../use-clock.ts';

export interface CallsProps {
  readonly view: View;
  readonly playback: Playback;
  readonly isLive: boolean;
}

/** The port calls: when each took place in its turn; then prompts, answers, cost and duration. */
export function Calls(props: CallsProps) {
  const { calls } = props.view;
  const shown = calls.filter(({ port }) => port !== 'timer').slice(0, 200);
  if (shown.length === 0) return <p className="dg-empty">No calls yet.</p>;
  return (
    <div className="calls">
      <TurnTimeline {...props} onPick={open} />
      {shown.map((call) => (
        <details key={call.sessionId} id={elementId(call)} data-status={call.status}>
          <summary>
            <strong>{call.port}</strong>
            <span className="verdict" data-status={call.status}>
              {call.status}
            </span>
            <span className="more">
              {call.endedAt === undefined
                ? `since ${timeText(call.askedAt)}`
                : durationText(call.endedAt - call.askedAt)}
              {usageText(call)}
            </span>
            <small>{call.key}</small>
          </summary>
          <Prompt input={call.input} />
          {call.output !== undefined && (
            <Part title="Answer">
              <pre tabIndex={0}>{JSON.stringify(call.output, null, 2)}</pre>
            </Part>
          )}
          {call.error !== undefined && (
            <Part title="Error">
              <pre tabIndex={0}>{JSON.stringify(call.error, null, 2)}</pre>
            </Part>
          )}
        </details>
      ))}
      {calls.length > 200 && <p className="hint">The newest 200 calls.</p>}
    </div>
  );
}

function elementId({ sessionId }: Call): string {
  return `call-${sessionId}`;
}

/** Unfolds a call and moves to it. */
function open(call: Call): void {
  const element = document.getElementById(elementId(call)) as HTMLDetailsElement | null;
  if (!element) return;
  element.open = true;
  element.scrollIntoView({ block: 'nearest' });
  element.querySelector('summary')!.focus();
}

function Prompt({ input }: { readonly input: unknown }) {
  const {
    prompt,
    key: _key,
    ...rest
  } = Object(input) as {
    readonly prompt?: unknown;
    readonly key?: string;
  };
  const sections = Array.isArray(prompt)
    ? (prompt as { title?: string; text?: string; data?: boolean }[])
    : [];
  return (
    <>
      {sections.map(({ title, text, data }, index) => (
        <Part key={index} title={`${title ?? 'Prompt'}${data ? ' (data)' : ''}`}>
          <p className="prompt">{text}</p>
        </Part>
      ))}
      <Part title="Asked">
        <pre tabIndex={0}>
          {JSON.stringify(sections.length > 0 ? rest : { ...rest, prompt }, null, 2)}
        </pre>
      </Part>
    </>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className="part">
      <h4>{title}</h4>
      {children}
    </div>
  );
}

function usageText({ output }: Call): string {
  const { inputTokens, outputTokens, cost, model } = Object(Object(output).usage) as {
    readonly inputTokens?: number;
    readonly outputTokens?: number;
    readonly cost?: number;
    readonly model?: string;
  };
  const parts = [
    inputTokens === undefined ? undefined : `${inputTokens} + ${outputTokens ?? 0} tokens`,
    cost === undefined ? undefined : `cost ${cost}`,
    model,
  ].filter((part) => part !== undefined);
  return parts.length > 0 ? ` · ${parts.join(' · ')}` : '';
}

interface TurnTimelineProps {
  readonly view: View;
  readonly playback: Playback;
  readonly isLive: boolean;
  readonly onPick: (call: Call) => void;
}

/** The calls of the shown turn as bars below each other, as long as each took. Waits for people are shown separately. */
function TurnTimeline({ view, playback, isLive, onPick }: TurnTimelineProps) {
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
