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
  const why = [failure.error, failure.cause].filter((each) => each !== null && each !== '');
  const words = wording.conversation;
  return (
    <div className="failure" role="alert">
      <p>{why.length === 0 ? words.failed : words.failure(why.join(': '))}</p>
      {onRetry && (
        <button type="button" disabled={isBusy} onClick={onRetry}>
          {words.retry}
        </button>
      )}
    </div>
  );
}
