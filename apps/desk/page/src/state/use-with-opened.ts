import { useEffect, useRef } from 'react';
import type { InboxItem } from '../service/protocol.ts';

/** The rows of a queue. The row of the open conversation keeps its place while the conversation leaves the queue by an act. */
export function useWithOpened(
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
  // What it had waited for is done.
  const { failure: _, waitingSince: _since, ...item } = kept.item;
  return items.toSpliced(kept.index, 0, item);
}
