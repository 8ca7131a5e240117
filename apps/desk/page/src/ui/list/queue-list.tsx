import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type RefObject, useCallback, useEffect, useRef } from 'react';
import { claimAt, type InboxItem } from '../../service/protocol.ts';
import type { Inbox } from '../../state/use-inbox.ts';
import { useNow } from '../../state/use-now.ts';
import { wording } from '../../wording.ts';
import { useDesk } from '../desk-context.ts';
import { readable } from '../../state/place-of.ts';
import { durationText } from '../../state/duration.ts';

interface QueueListProps {
  readonly inbox: Inbox;
  readonly label: string;
  /** The id of the row with the keyboard focus. */
  readonly active: string | undefined;
  readonly isFiltered: boolean;
  readonly isUnread: (item: InboxItem) => boolean;
  readonly listRef: RefObject<HTMLDivElement | null>;
  readonly onMove: (by: number) => void;
  readonly onOpen: (id: string) => void;
}

/** The height of a row, in pixels. */
const rowHeight = 44;
const rowsInJump = 10;

/** The rows of a queue. Only those in view are elements of the page. */
export function QueueList(props: QueueListProps) {
  const { inbox, label, active, isFiltered, isUnread, listRef, onMove, onOpen } = props;
  const { items, look } = inbox;
  const { me } = useDesk();
  const now = useNow(15_000);
  const words = wording.list;
  const latestOpen = useRef(onOpen);
  latestOpen.current = onOpen;
  const open = useCallback((id: string) => latestOpen.current(id), []);
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => listRef.current,
    estimateSize: () => rowHeight,
    overscan: 8,
    // React may join several scroll events into one rendering.
    useFlushSync: false,
    getItemKey: (index) => items[index]?.id ?? index,
  });
  const rows = virtualizer.getVirtualItems();
  const first = rows[0]?.index ?? 0;
  const last = rows.at(-1)?.index ?? 0;
  useEffect(() => look(first, last), [look, first, last, items.length]);
  const at = items.findIndex(({ id }) => id === active);
  useEffect(() => {
    if (at !== -1) virtualizer.scrollToIndex(at);
    // Scrolls only when another row becomes active, or is loaded, because the reader may scroll away from it.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [active, at === -1]);
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: rowsInJump,
    PageUp: -rowsInJump,
    End: items.length,
    Home: -items.length,
  };
  return (
    <>
      <div className="list-head" aria-hidden>
        <span>{words.contact}</span>
        <span>{words.lastLine}</span>
        <span>{words.state}</span>
        <span>{words.waiting}</span>
        <span>{words.owner}</span>
      </div>
      <div
        className="list"
        role="listbox"
        aria-label={label}
        aria-describedby="list-keys"
        aria-activedescendant={at === -1 ? undefined : rowId(active!)}
        tabIndex={0}
        ref={listRef}
        onKeyDown={(event) => {
          const { key } = event;
          const step = Object.hasOwn(steps, key) ? steps[key] : undefined;
          if (step !== undefined) onMove(step);
          else if (key === 'Enter' && at !== -1) onOpen(active!);
          else return;
          event.preventDefault();
        }}
      >
        <div role="presentation" style={{ height: virtualizer.getTotalSize() }}>
          {rows.map(({ index, start }) => {
            const item = items[index]!;
            return (
              <QueueRow
                key={item.id}
                item={item}
                top={start}
                position={index + 1}
                size={inbox.hasMore ? -1 : items.length}
                isActive={item.id === active}
                isUnread={isUnread(item)}
                me={me.name}
                now={now}
                onOpen={open}
              />
            );
          })}
        </div>
      </div>
      <p id="list-keys" className="dg-visually-hidden">
        {words.keys}
      </p>
      <p className="list-foot" role="status">
        {!inbox.isLoaded && inbox.error === undefined && words.loading}
        {inbox.isLoaded && items.length === 0 && (isFiltered ? words.emptyFiltered : words.empty)}
        {inbox.isFull && words.full}
      </p>
    </>
  );
}

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
const QueueRow = memo(function QueueRow(props: QueueRowProps) {
  const { item, top, position, size, isActive, isUnread, me, now, onOpen } = props;
  const { id, contact, decisionsOpen, place, state, ended, lastLine, waitingSince, failure } = item;
  const words = wording.list;
  const owner = claimAt(item, now);
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
        {isUnread && <span className="dg-visually-hidden"> ({words.unread})</span>}
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
            <span className="dg-visually-hidden">
              {words.waitingFor(durationText(now - waitingSince))}
            </span>
            <span aria-hidden>{durationText(now - waitingSince)}</span>
          </>
        )}
      </span>
      <span className="cell-owner" data-mine={isMine || undefined}>
        {owner && (
          <>
            <span className="dg-visually-hidden">
              {words.ownedBy(isMine ? words.you : owner.by)}
            </span>
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
function rowId(id: string): string {
  return `row-${encodeURIComponent(id)}`;
}
