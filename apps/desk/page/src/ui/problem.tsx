import { ServiceError } from '../service/service-error.ts';
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

function sentenceOf(error: unknown): string {
  if (error instanceof ServiceError)
    return error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
  return error instanceof Error ? error.message : String(error);
}
