import { useCallback, useEffect, useRef, useState } from 'react';
import type { InboxItem } from '../service/protocol.ts';
import type { Route } from '../state/route.ts';
import { useInbox } from '../state/use-inbox.ts';
import { wording } from '../wording.ts';
import { ConversationPane } from './conversation/conversation-pane.tsx';
import { useDesk } from './desk-context.ts';
import { FilterBar } from './list/filter-bar.tsx';
import { QueueList } from './list/queue-list.tsx';
import { Problem } from './problem.tsx';
import { useShortcuts } from './use-shortcuts.ts';
import { ViewHeader } from './view-header.tsx';

interface InboxViewProps {
  readonly route: Route;
  readonly go: (route: Route, how?: 'push' | 'replace') => void;
  readonly hasShortcuts: boolean;
  readonly onMenu: () => void;
}

/** A queue, next to the open conversation. */
export function InboxView({ route, go, hasShortcuts, onMenu }: InboxViewProps) {
  const { client, live } = useDesk();
  const { filter, conversation } = route;
  const loaded = useInbox(client, live, filter);
  const [active, setActive] = useState<string | undefined>(conversation);
  const list = useRef<HTMLDivElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const items = useWithOpened(loaded.items, conversation);
  const opened = items.find(({ id }) => id === conversation);
  const { isUnread, read } = useUnread();
  useEffect(() => {
    if (opened) read(opened);
  }, [opened, read]);
  const at = items.findIndex(({ id }) => id === active);
  const open = (id: string) => {
    setActive(id);
    go({ ...route, conversation: id }, conversation === undefined ? 'push' : 'replace');
  };
  const move = (by: number) => {
    const index = at === -1 ? 0 : Math.min(items.length - 1, Math.max(0, at + by));
    const id = items[index]?.id;
    if (id === undefined) return;
    if (conversation !== undefined) return open(id);
    setActive(id);
    // The list gets the focus, so that Enter opens the active row.
    list.current?.focus();
  };
  const leave = () => {
    const { conversation: _left, ...rest } = route;
    go(rest);
    list.current?.focus();
  };
  useShortcuts(
    {
      j: () => move(1),
      k: () => move(-1),
      '/': () => search.current?.focus(),
      Escape: conversation === undefined ? () => list.current?.focus() : leave,
    },
    hasShortcuts,
  );
  const title = wording.queues[filter.queue];
  return (
    <div className="inbox" data-open={conversation !== undefined || undefined}>
      <section className="list-pane" aria-label={wording.list.label(title)}>
        <ViewHeader title={title} onMenu={onMenu} />
        <FilterBar
          filter={filter}
          items={items}
          searchRef={search}
          onChange={(changed) => go({ ...route, filter: changed }, 'replace')}
          onLeave={() => list.current?.focus()}
        />
        {loaded.error !== undefined && <Problem error={loaded.error} onRetry={loaded.reload} />}
        <QueueList
          key={JSON.stringify(filter)}
          inbox={{ ...loaded, items }}
          isUnread={isUnread}
          label={wording.list.label(title)}
          active={active}
          isFiltered={Object.keys(filter).length > 1}
          listRef={list}
          onMove={move}
          onOpen={open}
        />
      </section>
      {conversation === undefined ? (
        <div className="conversation-none">
          <p>{wording.conversation.none}</p>
          <p className="muted">{wording.conversation.noneHint}</p>
        </div>
      ) : (
        <ConversationPane
          key={conversation}
          id={conversation}
          hasShortcuts={hasShortcuts}
          onBack={leave}
          onOpen={open}
        />
      )}
    </div>
  );
}

/** The rows of a queue. The row of the open conversation keeps its place even when an act removes the conversation from the queue. */
function useWithOpened(
  items: readonly InboxItem[],
  opened: string | undefined,
): readonly InboxItem[] {
  const last = useRef<{ readonly item: InboxItem; readonly index: number }>(undefined);
  const index = items.findIndex(({ id }) => id === opened);
  const kept = index === -1 && last.current?.item.id === opened ? last.current : undefined;
  useEffect(() => {
    last.current = index === -1 ? kept : { item: items[index]!, index };
  });
  if (!kept) return items;
  // The fields of a waiting conversation no longer apply.
  const { failure: _, waitingSince: _since, ...item } = kept.item;
  return items.toSpliced(kept.index, 0, item);
}

const key = 'dramaturg-desk-read';
/** Maximum number of remembered conversations, the latest ones. */
const readMax = 2_000;

type Row = Pick<InboxItem, 'id' | 'lastLine' | 'waitingSince'>;

/** Tells which waiting conversations have messages of their contact that were not opened in this browser. */
function useUnread() {
  const [times, setTimes] = useState(() => new Map(timesIn(localStorage.getItem(key))));
  const read = useCallback(({ id, lastLine }: Row) => {
    if (!lastLine) return;
    setTimes((before) => {
      if (before.get(id) === lastLine.at) return before;
      const others = [...before].filter(([other]) => other !== id);
      const after = [...others, [id, lastLine.at] as const].slice(-readMax);
      localStorage.setItem(key, JSON.stringify(after));
      return new Map(after);
    });
  }, []);
  const isUnread = useCallback(
    ({ id, lastLine, waitingSince }: Row) =>
      waitingSince !== undefined &&
      lastLine?.role === 'contact' &&
      lastLine.at > (times.get(id) ?? 0),
    [times],
  );
  return { isUnread, read };
}

/** Reads stored times. Invalid ones are left out, because other pages of this origin can write to the storage. */
function timesIn(text: string | null): readonly (readonly [string, number])[] {
  try {
    const stored: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(stored)
      ? stored.filter(Array.isArray).map(([id, at]) => [String(id), Number(at)])
      : [];
  } catch {
    return [];
  }
}
