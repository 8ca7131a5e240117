import { useCallback, useState } from 'react';
import type { InboxItem } from '../service/protocol.ts';

const key = 'dramaturg-desk-read';
/** Conversations that are remembered, the latest ones. */
const readMax = 2_000;

type Row = Pick<InboxItem, 'id' | 'lastLine' | 'waitingSince'>;

/** Which of the conversations that wait have words of their contact that were not opened in this browser. */
export function useUnread() {
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

/** Other pages of this origin can write to the storage. */
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
