import type { Conversation } from '../../service/protocol.ts';
import { wording } from '../../wording.ts';

interface FailureBannerProps {
  readonly conversation: Conversation;
  readonly isBusy: boolean;
  readonly onRetry: (() => void) | undefined;
}

/** Why the last turn failed. */
export function FailureBanner({ conversation, isBusy, onRetry }: FailureBannerProps) {
  const { failure } = conversation;
  if (failure === undefined) return null;
  const words = wording.conversation;
  const { error, cause } = failure;
  const why = cause ?? error;
  const code = cause === null || error === null ? '' : ` (${error})`;
  const sentence = why === null ? words.failed : words.failure(why, code);
  return (
    <div className="failure" role="alert">
      <p>{sentence}</p>
      {onRetry && (
        <button type="button" disabled={isBusy} onClick={onRetry}>
          {words.retry}
        </button>
      )}
    </div>
  );
}
