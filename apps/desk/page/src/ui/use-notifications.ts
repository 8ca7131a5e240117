import { useEffect, useRef, useState } from 'react';
import type { QueueCounts } from '../service/protocol.ts';
import { useStored } from '../state/stored.ts';
import { wording } from '../wording.ts';

export interface Notifications {
  readonly permission: NotificationPermission;
  /** Asks the browser for permission. Must be called from a button: browsers refuse other requests. */
  readonly ask: () => void;
  readonly sound: 'off' | 'on';
  readonly setSound: (sound: 'off' | 'on') => void;
}

/** Notifies the operator of new work: always in the title, and by the browser and a sound if wanted. */
export function useNotifications(
  counts: QueueCounts | undefined,
  onOpen: () => void,
): Notifications {
  const [permission, setPermission] = useState<NotificationPermission>(() =>
    'Notification' in window ? Notification.permission : 'denied',
  );
  const [sound, setSound] = useStored('sound', ['off', 'on']);
  const before = useRef<QueueCounts>(undefined);
  const latestOpen = useRef(onOpen);
  latestOpen.current = onOpen;
  useEffect(() => {
    if (!counts) return;
    const { titleCount, title } = wording.notifications;
    document.title = titleCount(counts.needsPerson + counts.decisions, wording.title);
    const why = attention(before.current, counts);
    before.current = counts;
    if (why === undefined) return;
    if (permission === 'granted') notify(title, why, () => latestOpen.current());
    if (sound === 'on') beep();
  }, [counts, permission, sound]);
  return {
    permission,
    ask: () => void Notification.requestPermission().then(setPermission),
    sound,
    setSound,
  };
}

/** One notification at a time: a newer one replaces it. It contains no text of a contact, because other people see screens. */
function notify(title: string, body: string, onOpen: () => void): void {
  let notification: Notification;
  try {
    notification = new Notification(title, { body, tag: 'dramaturg-desk', silent: true });
  } catch {
    // Browsers on telephones show only notifications of service workers. The title of the page has the count.
    return;
  }
  notification.addEventListener('click', () => {
    window.focus();
    notification.close();
    onOpen();
  });
}

/** Plays a short tone, without a file. */
function beep(): void {
  const audio = new AudioContext();
  const tone = audio.createOscillator();
  const volume = audio.createGain();
  volume.gain.value = 0.05;
  tone.frequency.value = 660;
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.15);
  tone.addEventListener('ended', () => void audio.close());
}

/** The reason to act now: the work that is new since the counts before. Undefined if there is none. */
export function attention(before: QueueCounts | undefined, now: QueueCounts): string | undefined {
  if (before === undefined) return undefined;
  const { needsPerson, decisions, failed } = wording.notifications;
  const news = [
    now.needsPerson > before.needsPerson && needsPerson(now.needsPerson),
    now.decisions > before.decisions && decisions(now.decisions),
    now.failed > before.failed && failed(now.failed),
  ].filter((each) => each !== false);
  return news.length === 0 ? undefined : news.join(' ');
}
