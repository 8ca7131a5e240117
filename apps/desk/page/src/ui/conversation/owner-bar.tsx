import type { Claim } from '../../service/protocol.ts';
import { durationText, timeText } from '../../state/duration.ts';
import { wording } from '../../wording.ts';

interface OwnerBarProps {
  readonly owner: Claim | undefined;
  readonly isMine: boolean;
  /** The queue in which the conversation waits. */
  readonly queue: string | undefined;
  readonly now: number;
  readonly mayAct: boolean;
  /** An act of the operator runs. */
  readonly isBusy: boolean;
  readonly onTakeOver: () => void;
  readonly onHandBack: () => void;
  readonly onKeep: () => void;
}

/** Milliseconds before the end of a claim when the operator is asked to keep it. */
const keepMs = 120_000;

/** Who has the conversation, and the buttons that change it. */
export function OwnerBar(props: OwnerBarProps) {
  const { owner, isMine, queue, now, mayAct, isBusy, onTakeOver, onHandBack, onKeep } = props;
  const words = wording.conversation;
  const leftMs = owner ? owner.until - now : 0;
  const sentence = () => {
    if (!owner) return words.freeIn[queue ?? ''] ?? words.free;
    return isMine
      ? words.ownedByYou(durationText(leftMs))
      : words.ownedBy(owner.by, timeText(owner.until, now));
  };
  return (
    <div className="owner-bar" data-mine={isMine || undefined} data-owned={!!owner || undefined}>
      <p>{sentence()}</p>
      {mayAct && isMine && leftMs < keepMs && (
        <button type="button" disabled={isBusy} onClick={onKeep}>
          {words.keep}
        </button>
      )}
      {mayAct && isMine && (
        <button type="button" className="primary" disabled={isBusy} onClick={onHandBack}>
          {words.handBack}
        </button>
      )}
      {mayAct && !isMine && (
        <button type="button" className="primary" disabled={isBusy} onClick={onTakeOver}>
          {words.takeOver}
        </button>
      )}
    </div>
  );
}
