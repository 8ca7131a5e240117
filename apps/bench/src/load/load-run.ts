import { setTimeout as pause } from 'node:timers/promises';
import { quantile } from '../host/stores.ts';
import { Contacts, type ContactsOptions } from './contacts.ts';
import { EventFollower, storedEvents } from './kill-run.ts';
import type { ServedProcess } from './served-process.ts';

export interface LoadOptions extends ContactsOptions {
  /** Duration of each of the two parts. */
  readonly seconds: number;
  /** Open streams of the second part. */
  readonly streams: number;
  /** Messages per second in the second part. */
  readonly rate: number;
}

export interface LoadResult {
  readonly messages: number;
  readonly perSecond: number;
  /** Milliseconds until an acknowledgement. */
  readonly acknowledgement: { readonly p50: number; readonly p99: number };
  readonly errors: Readonly<Record<string, number>>;
  readonly streams: StreamResult;
  /** Resident memory of the service in MB, each second. */
  readonly memory: readonly number[];
  /** Live data on the heap of the service at the end of the streams, over that after a quarter of their time. */
  readonly memoryGrowth: number;
}

export interface StreamResult {
  readonly open: number;
  /** The number of events that were stored while the streams were open. */
  readonly events: number;
  /** The share of these events that every stream has exactly once. */
  readonly complete: number;
  /** Milliseconds from the event to its arrival. */
  readonly delay: { readonly p50: number; readonly p99: number };
}

/** Lets contacts write with pauses, then follows all events with many streams. */
export async function runLoad(
  service: ServedProcess,
  options: LoadOptions,
  onProgress: (step: string) => void,
): Promise<LoadResult> {
  const memory: number[] = [];
  const sampling = setInterval(() => {
    void service.memory('resident').then((bytes) => memory.push(Math.round(bytes / 1e6)));
  }, 1_000);
  try {
    const contacts = new Contacts(service.url, options);
    const startedAt = performance.now();
    const writing = contacts.run();
    await during(options.seconds, (left) =>
      onProgress(`contacts write: ${contacts.times.length} messages, ${left} s left`),
    );
    contacts.stop();
    await writing;
    const elapsed = (performance.now() - startedAt) / 1_000;
    const { live, ...streams } = await runStreams(service, options, onProgress);
    return {
      messages: contacts.times.length,
      perSecond: contacts.times.length / elapsed,
      acknowledgement: spread(contacts.times),
      errors: Object.fromEntries(contacts.errors),
      streams,
      memory,
      memoryGrowth: live[1] / live[0],
    };
  } finally {
    clearInterval(sampling);
  }
}

async function runStreams(
  service: ServedProcess,
  { streams: count, rate, seconds, seed }: LoadOptions,
  onProgress: (step: string) => void,
): Promise<StreamResult & { readonly live: readonly [number, number] }> {
  const { url } = service;
  const path = '/events?types=message.received,message.sent';
  const arrivals = new Map<string, number>();
  const delays: number[] = [];
  const opened = { count: 0 };
  const followers: EventFollower[] = [];
  for (let index = 0; index < count; index += 1) {
    const onEvent = ({ cursor, at }: { readonly cursor: string; readonly at: number }) => {
      arrivals.set(cursor, (arrivals.get(cursor) ?? 0) + 1);
      delays.push(Date.now() - at);
    };
    followers.push(
      new EventFollower(`${url}${path}`, onEvent, () => {
        opened.count += 1;
      }),
    );
    // Opens at once only as many as fit into the queue of a listening socket.
    if (index % 100 === 99) await pause(50);
  }
  for (let tries = 0; opened.count < count && tries < 600; tries += 1) {
    onProgress(`streams: ${opened.count} of ${count} open`);
    await pause(100);
  }
  const begin = followers[0]!.cursor!;
  const contacts = 20;
  const writers = new Contacts(url, { contacts, thinkMs: (1_000 * contacts) / rate, seed });
  // The contacts of the first part have used the first ids.
  writers.firstTurn = 1_000_000;
  const writing = writers.run();
  const onSecond = (left: number) =>
    onProgress(`streams: ${opened.count} open, ${arrivals.size} events, ${left} s left`);
  await during(seconds / 4, onSecond);
  const early = await service.memory('live');
  await during((seconds * 3) / 4, onSecond);
  const late = await service.memory('live');
  writers.stop();
  await writing;
  await pause(2_000);
  for (const each of followers) each.close();
  const stored = await storedEvents(`${url}${path}&after=${encodeURIComponent(begin)}`);
  const complete = stored.filter(({ cursor }) => arrivals.get(cursor) === count).length;
  return {
    open: opened.count,
    events: stored.length,
    complete: complete / Math.max(1, stored.length),
    delay: spread(delays),
    live: [early, late],
  };
}

async function during(seconds: number, onSecond: (left: number) => void): Promise<void> {
  for (let left = seconds; left > 0; left -= 1) {
    onSecond(Math.ceil(left));
    await pause(Math.min(1, left) * 1_000);
  }
}

function spread(values: readonly number[]) {
  return { p50: quantile(values, 0.5), p99: quantile(values, 0.99) };
}
