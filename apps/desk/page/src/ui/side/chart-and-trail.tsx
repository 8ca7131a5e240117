import { Statechart } from '@dramaturg/react';
import type { StateValue } from 'xstate';
import type { Conversation, JournalLine } from '../../service/protocol.ts';
import { timeText } from '../../state/duration.ts';
import { useLive } from '../../state/use-live.ts';
import { wording } from '../../wording.ts';
import { useDesk } from '../desk-context.ts';
import { Problem } from '../problem.tsx';

/** Maximum number of states in the trail. */
const statesMax = 100;

/** The chart with the current state, and the states before it. */
export default function ChartAndTrail({ conversation }: { readonly conversation: Conversation }) {
  const { client, live } = useDesk();
  const { id, flow } = conversation;
  const charts = useLive(live, `charts ${id}`, (signal) => client.charts(id, signal), {
    instance: id,
    pauseMs: 5_000,
  });
  const trail = useLive(
    live,
    `trail ${id}`,
    async (signal) => statesIn(await client.lastJournal(id, signal)),
    { instance: id },
  );
  const words = wording.side;
  const chart = charts.value?.flow?.chart ?? charts.value?.lifecycle.chart;
  const value = charts.value?.flow ? (flow as StateValue | null) : conversation.state;
  return (
    <>
      {charts.error !== undefined && <Problem error={charts.error} onRetry={charts.reload} />}
      {chart === undefined ? (
        <p role="status">{words.chartLoading}</p>
      ) : (
        <div className="chart">
          <Statechart chart={chart} value={value ?? undefined} visited={visitedIn(trail.value)} />
        </div>
      )}
      <h3>{words.trail}</h3>
      {trail.value?.length === 0 && <p className="muted">{words.noTrail}</p>}
      <ol className="trail">
        {trail.value?.map(({ at, state, title }, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- A state may be entered several times at the same time.
          <li key={`${at} ${index}`}>
            <time dateTime={new Date(at).toISOString()}>{timeText(at)}</time>
            <span>{title ?? state}</span>
          </li>
        ))}
      </ol>
    </>
  );
}

/** The names of the entered states, the first one first. */
function visitedIn(trail: readonly JournalLine[] = []): readonly string[] {
  return trail.toReversed().map(({ title, state }) => String(title ?? state));
}

/** The states that the conversation has entered, the last one first. */
function statesIn(lines: readonly JournalLine[]): readonly JournalLine[] {
  return lines
    .filter(({ type, source }) => type === 'state.entered' && source === 'flow')
    .slice(-statesMax)
    .toReversed();
}
