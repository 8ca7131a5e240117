import { ServiceError } from '../service/service-error.ts';
import { timeText } from '../state/duration.ts';
import { wording } from '../wording.ts';

interface ProblemProps {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
  readonly onDismiss?: (() => void) | undefined;
}

/** Why something failed, and the next thing to do. */
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

/** The service does not know where its reader is: it writes times of UTC. */
function sentenceOf(error: unknown): string {
  const hint = error instanceof ServiceError && error.hint !== undefined ? ` ${error.hint}` : '';
  const sentence = (error instanceof Error ? error.message : String(error)) + hint;
  return sentence.replace(
    /(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) UTC/g,
    (_, day: string, time: string) => timeText(Date.parse(`${day}T${time}Z`)),
  );
}
