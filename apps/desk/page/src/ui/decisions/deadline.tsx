import { exactDurationText } from '../../state/duration.ts';
import { wording } from '../../wording.ts';

interface DeadlineProps {
  /** Milliseconds since 1970 UTC. */
  readonly until: number | undefined;
  readonly now: number;
}

const soonMs = 3_600_000;

/** The time that is left. */
export function Deadline({ until, now }: DeadlineProps) {
  const { due, overdue, noDeadline } = wording.decisions;
  if (until === undefined) return <span className="deadline muted">{noDeadline}</span>;
  const leftMs = until - now;
  return (
    <span className="deadline" data-soon={leftMs < soonMs || undefined}>
      {leftMs < 0 ? overdue(exactDurationText(-leftMs)) : due(exactDurationText(leftMs))}
    </span>
  );
}
