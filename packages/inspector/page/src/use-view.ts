import { useDeferredValue, useMemo, useState, useSyncExternalStore } from 'react';
import type { RecordedActor } from '../../src/recording.ts';
import type { Connection } from './data/connection.ts';
import { type Call, callsIn, mainActor } from './data/derive.ts';
import type { Actors, Moment } from './data/playback.ts';

/** The shown moment and the selected actor. */
export interface View {
  readonly moments: readonly Moment[];
  /** The index of the shown moment. */
  readonly index: number;
  readonly moment: Moment | undefined;
  /** The page follows the latest moment. */
  readonly isFollowing: boolean;
  /** The moment to compare with. */
  readonly against: Moment | undefined;
  /** The person has chosen the moment to compare with. */
  readonly isPinned: boolean;
  /** The number of events up to the shown moment. */
  readonly count: number;
  readonly actors: Actors;
  readonly before: Actors;
  readonly actor: RecordedActor | undefined;
  readonly calls: readonly Call[];
  readonly go: (index: number) => void;
  readonly follow: () => void;
  /** Compares all moments with the shown one. The second call compares with the previous moment again. */
  readonly pin: () => void;
  readonly pick: (sessionId: string) => void;
}

export function useView(connection: Connection): View {
  const now = useSyncExternalStore(connection.subscribe, connection.getVersion);
  // Drawing may fall behind a fast run, so that clicks and keys stay responsive.
  const version = useDeferredValue(now);
  const { run, step, until } = useSyncExternalStore(connection.subscribe, connection.getShown);
  const [pinned, setPinned] = useState<number | undefined>(undefined);
  const [picked, setPicked] = useState<string | undefined>(undefined);
  const { playback } = connection;
  const part = JSON.stringify([run, until]);
  const [shown, setShown] = useState(part);
  if (part !== shown) {
    setShown(part);
    setPinned(undefined);
    setPicked(undefined);
  }

  const { moments } = playback;
  const last = moments.length - 1;
  const indexOf = (number: number | undefined) =>
    number === undefined ? -1 : momentNumbered(moments, number);
  const index = step === undefined ? last : Math.min(last, Math.max(0, indexOf(step)));
  const moment = moments[index];
  const count = moment?.to ?? 0;
  const pinnedIndex = indexOf(pinned);
  const against = pinnedIndex >= 0 ? moments[pinnedIndex] : moments[index - 1];

  const actors = useMemo(() => playback.actorsAfter(count), [playback, count, version]);
  const countBefore = against?.to ?? 0;
  const before = useMemo(() => playback.actorsAfter(countBefore), [playback, countBefore, version]);
  const calls = useMemo(() => callsIn(actors), [actors]);
  return {
    moments,
    index,
    moment,
    isFollowing: step === undefined,
    against,
    isPinned: pinned !== undefined,
    count,
    actors,
    before,
    actor: actors.get(picked ?? '') ?? mainActor(actors) ?? actors.values().next().value,
    calls,
    go: (to) => {
      const isLatest = to >= last && until === undefined;
      const number = moments[Math.min(last, Math.max(0, to))]?.number;
      if (number !== undefined) connection.goTo({ run: run!, step: isLatest ? undefined : number });
    },
    follow: () => run !== undefined && connection.goTo({ run }),
    pin: () => setPinned(pinned === undefined ? moment?.number : undefined),
    pick: setPicked,
  };
}

/** The index of the moment that an event belongs to. */
export function momentWith(moments: readonly Moment[], event: number): number {
  return moments.findIndex(({ to }) => event < to);
}

/** The index of the moment with a number, or of the last moment before it. */
export function momentNumbered(moments: readonly Moment[], number: number): number {
  return moments.findLastIndex((each) => each.number <= number);
}
