import { ServiceError } from '../service/service-error.ts';
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
function sentenceOf(error: unknown): string {
  const hint = error instanceof ServiceError && error.hint !== undefined ? ` ${error.hint}` : '';
  const sentence = (error instanceof Error ? error.message : String(error)) + hint;
  return sentence.replace(
    /(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC/g,
    (_, day: string, time: string) => timeText(Date.parse(`${day}T${time}Z`)),
  );
}
