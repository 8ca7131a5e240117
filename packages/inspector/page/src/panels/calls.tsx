import type { ReactNode } from 'react';
import type { Call } from '../data/derive.ts';
import type { Playback } from '../data/playback.ts';
import type { View } from '../use-view.ts';
import { durationText, timeText } from '../value-text.ts';
import { TurnTimeline } from './turn-timeline.tsx';

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
