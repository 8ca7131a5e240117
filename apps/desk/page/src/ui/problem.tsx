import { HostRequestError } from '@dramaturg/react';
import { timeText } from '../state/duration.ts';
import { wording } from '../wording.ts';

interface ProblemProps {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
  readonly onDismiss?: (() => void) | undefined;
}

/** Shows why something failed, and the next step. */
export function Problem({ error, onRetry, onDismiss }: ProblemProps) {
  return (
    <div className="problem" role="alert">
      <p>{sentenceOf(error)}</p>
      {onRetry && (
        <button type="button" onClick={onRetry}>
          {wording.problems.retry}
        </button>
      )}
      {onDismiss && (
        <button type="button" onClick={onDismiss}>
          {wording.problems.dismiss}
        </button>
      )}
    </div>
  );
}

/** Words an error. The service writes times in UTC, because it does not know the reader's time zone. */
export function sentenceOf(error: unknown): string {
  const { unreachable, unreachableHint, status } = wording.problems;
  if (!(error instanceof HostRequestError))
    return error instanceof Error ? error.message : String(error);
  if (error.code === 'connection/lost') return `${unreachable} ${unreachableHint}`;
  if (error.code === 'connection/answer') return status(error.status);
  const { detail, hint = '' } = error.problem;
  return `${detail} ${hint}`
    .trim()
    .replace(/(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC/g, (_, day: string, time: string) =>
      timeText(Date.parse(`${day}T${time}Z`)),
    );
}
