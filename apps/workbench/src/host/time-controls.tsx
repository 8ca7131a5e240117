import type { HostSession } from './host-session.ts';

interface TimeControlsProps {
  readonly session: HostSession;
  readonly pace: number;
  readonly onPace: (pace: number) => void;
}

const paces = [
  { pace: 0, label: 'stopped' },
  { pace: 1, label: 'real time' },
  { pace: 60, label: '1 minute per second' },
  { pace: 600, label: '10 minutes per second' },
  { pace: 3600, label: '1 hour per second' },
];

/** Shows the time of the host, sets its speed, and jumps to the next reminder. */
export function TimeControls({ session, pace, onPace }: TimeControlsProps) {
  const { now, instances } = session.state;
  const due = instances.flatMap(({ dueAt }) => dueAt ?? []);
  const next = due.length > 0 ? Math.min(...due) : undefined;
  return (
    <div className="wb-tools">
      <time className="wb-time" dateTime={new Date(now).toISOString()}>
        {new Date(now).toISOString().slice(0, 16).replace('T', ', ')}
      </time>
      <select
        aria-label="Speed of time"
        value={pace}
        onChange={(event) => onPace(Number(event.target.value))}
      >
        {paces.map((each) => (
          <option key={each.pace} value={each.pace}>
            Time: {each.label}
          </option>
        ))}
      </select>
      <button
        type="button"
        disabled={next === undefined}
        onClick={() => {
          session.time.setTo(next!);
          void session.look();
        }}
      >
        Go to the next reminder
      </button>
    </div>
  );
}
