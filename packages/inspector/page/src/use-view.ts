import { useDeferredValue, useMemo, useState, useSyncExternalStore } from 'react';
import type { RecordedActor } from '../../src/recording.ts';
import type { Connection } from './data/connection.ts';
import { type Call, callsIn, mainActor } from './data/derive.ts';
import type { Actors, Moment } from './data/reel.ts';

/** What is looked at: a moment, and an actor in it. */
export interface View {
  readonly moments: readonly Moment[];
  /** The index of the moment that is shown. */
  readonly index: number;
  readonly moment: Moment | undefined;
  /** The moment shown is the last one, whichever that is. */
  readonly isFollowing: boolean;
  /** The moment that it is compared with. */
  readonly against: Moment | undefined;
  /** Somebody has chosen what to compare with. */
  readonly isPinned: boolean;
  /** How many events have happened by then. */
  readonly count: number;
  readonly actors: Actors;
  readonly before: Actors;
  readonly actor: RecordedActor | undefined;
  readonly calls: readonly Call[];
  readonly go: (index: number) => void;
  readonly follow: () => void;
  /** Compares with the moment that is shown, wherever one goes; again: with the moment before. */
  readonly pin: () => void;
  readonly pick: (sessionId: string) => void;
}

export function useView(connection: Connection): View {
  const now = useSyncExternalStore(connection.subscribe, connection.getVersion);
  // Drawing may fall behind a fast run; clicks and keys come first.
  const version = useDeferredValue(now);
  const [place, setPlace] = useState<number | undefined>(undefined);
  const [pinned, setPinned] = useState<number | undefined>(undefined);
  const [picked, setPicked] = useState<string | undefined>(undefined);
  const { reel, run, until } = connection;
  const part = JSON.stringify([run, until]);
  const [shown, setShown] = useState(part);
  if (part !== shown) {
    setShown(part);
    setPlace(undefined);
    setPinned(undefined);
    setPicked(undefined);
  }

  const { moments } = reel;
  const last = moments.length - 1;
  const indexOf = (number: number | undefined) =>
    number === undefined ? -1 : moments.findLastIndex((each) => each.number <= number);
  const index = place === undefined ? last : Math.max(0, indexOf(place));
  const moment = moments[index];
  const count = moment?.to ?? 0;
  const pinnedIndex = indexOf(pinned);
  const against = pinnedIndex >= 0 ? moments[pinnedIndex] : moments[index - 1];

  const actors = useMemo(() => reel.actorsAfter(count), [reel, count, version]);
  const countBefore = against?.to ?? 0;
  const before = useMemo(() => reel.actorsAfter(countBefore), [reel, countBefore, version]);
  const calls = useMemo(() => callsIn(actors), [actors]);
  return {
    moments,
    index,
    moment,
    isFollowing: place === undefined && until === undefined,
    against,
    isPinned: pinned !== undefined,
    count,
    actors,
    before,
    actor: actors.get(picked ?? '') ?? mainActor(actors) ?? actors.values().next().value,
    calls,
    go: (to) => setPlace(to >= last ? undefined : moments[Math.max(0, to)]?.number),
    follow: () => {
      setPlace(undefined);
      if (until !== undefined) connection.open(run!);
    },
    pin: () => setPinned(pinned === undefined ? moment?.number : undefined),
    pick: setPicked,
  };
}
