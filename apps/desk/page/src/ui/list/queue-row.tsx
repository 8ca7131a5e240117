import { memo } from 'react';
import type { InboxItem } from '../../service/protocol.ts';
import { readable } from '../../state/place-of.ts';
import { durationText } from '../../state/duration.ts';
import { wording } from '../../wording.ts';

interface QueueRowProps {
  readonly item: InboxItem;
  /** The offset from the beginning of the list, in pixels. */
  readonly top: number;
  readonly position: number;
  /** The number of rows; -1 if unknown. */
  readonly size: number;
  readonly isActive: boolean;
  readonly isUnread: boolean;
  /** The name of the operator. */
  readonly me: string;
  readonly now: number;
  readonly onOpen: (id: string) => void;
}

/** A conversation in 44 pixels: a row of a table, or two short lines in a narrow list. Rows that only move are not rendered again. */
export const QueueRow = memo(function QueueRow(props: QueueRowProps) {
  const { item, top, position, size, isActive, isUnread, me, now, onOpen } = props;
  const {
    id,
    contact,
    decisionsOpen,
    place,
    state,
    ended,
    lastLine,
    waitingSince,
    owner,
    failure,
  } = item;
  const words = wording.list;
  const isMine = owner?.by === me;
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- The list handles the keys of its options.
    <div
      id={rowId(item.id)}
      role="option"
      className="list-row"
      aria-selected={isActive}
      aria-posinset={position}
      aria-setsize={size}
      data-ended={ended || undefined}
      data-unread={isUnread || undefined}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => onOpen(item.id)}
    >
      <span className="cell-contact">
        {contact ?? id}
        {isUnread && <span className="visually-hidden"> ({words.unread})</span>}
      </span>
      <span className="cell-line">
        {failure !== undefined ? (
          failure.message
        ) : lastLine === undefined ? (
          <em>{decisionsOpen > 0 ? words.decisionsOpen(decisionsOpen) : words.noLine}</em>
        ) : (
          <>
            {lastLine.role !== 'contact' && (
              <span className="who">{lastLine.by ?? wording.roles[lastLine.role]}: </span>
            )}
            {lastLine.text}
          </>
        )}
      </span>
      <span className="cell-state" data-failed={failure !== undefined || undefined}>
        {ended ? failure ? words.failed : words.ended : <Place path={readable(place ?? state)} />}
      </span>
      <span className="cell-waiting">
        {waitingSince !== undefined && (
          <>
            <span className="visually-hidden">
              {words.waitingFor(durationText(now - waitingSince))}
            </span>
            <span aria-hidden>{durationText(now - waitingSince)}</span>
          </>
        )}
      </span>
      <span className="cell-owner" data-mine={isMine || undefined}>
        {owner && (
          <>
            <span className="visually-hidden">{words.ownedBy(isMine ? words.you : owner.by)}</span>
            <span aria-hidden>{isMine ? words.you : owner.by}</span>
          </>
        )}
      </span>
    </div>
  );
});

/** A narrow list has no room for the states around the innermost one. */
function Place({ path }: { readonly path: string }) {
  const end = path.lastIndexOf('›') + 1;
  return (
    <>
      <span className="outer">{path.slice(0, end)} </span>
      {path.slice(end).trim()}
    </>
  );
}

/** The id of the element of a row. It has no spaces. */
export function rowId(id: string): string {
  return `row-${encodeURIComponent(id)}`;
}
