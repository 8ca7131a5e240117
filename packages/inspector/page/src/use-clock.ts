import { useEffect, useState } from 'react';
import type { View } from './use-view.ts';

/** The time of the page in milliseconds since 1970 UTC: the present while a live run is followed, or else that of the shown moment. */
export function useClock({ isFollowing, moment }: View, isLive: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return isFollowing && isLive ? now : (moment?.at ?? now);
}
