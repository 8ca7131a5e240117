import { once } from 'node:events';
import { Agent, type ClientRequest, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Chance } from '@dramaturg/testing';
import { quantile } from '../host/stores.ts';
import { contactOf, Contacts } from './contacts.ts';
import type { ServedProcess } from './served-process.ts';

export interface KillOptions {
  readonly kills: number;
  readonly contacts: number;
  readonly thinkMs: number;
  readonly seed: number;
}

export interface KillResult {
  readonly kills: number;
  readonly messages: number;
  /** Events that were followed, on the streams of single instances and on the stream of all. */
  readonly events: number;
  readonly lost: number;
  readonly doubled: number;
  /** Acknowledged messages that are in no event and no transcript. */
  readonly messagesLost: number;
  /** Milliseconds from the kill until every stream is open again, including the start of the process. */
  readonly back: { readonly p50: number; readonly p99: number; readonly max: number };
}

/** A stream that continues over all kills, and the events that it has received. */
interface Watched {
  readonly url: string;
  readonly seen: Followed[];
  readonly follower: EventFollower;
}

/** Kills a service in the middle of its streams and starts it again, and compares the streams with the stored events. */
export async function runKills(
  service: ServedProcess,
  { kills, contacts: count, thinkMs, seed }: KillOptions,
  onProgress: (step: string) => void,
): Promise<KillResult> {
  const chance = new Chance(seed);
  const contacts = new Contacts(service.url, { contacts: count, thinkMs, seed, repeats: true });
  const writing = contacts.run();
  await until(() => contacts.times.length >= count && everyone(contacts));
  const ids = Array.from({ length: count }, (_, index) => contactOf(index));
  const urls = [
    `${service.url}/events?after=beginning`,
    ...ids.map((id) => `${service.url}/events?instance=${id}&after=beginning`),
  ];
  const watched = urls.map(watch);
  const areOpen = () => watched.every(({ follower }) => follower.isOpen);
  await until(areOpen);
  const times: number[] = [];
  for (let kill = 1; kill <= kills; kill += 1) {
    onProgress(`kill ${kill} of ${kills}: ${contacts.times.length} messages`);
    await pause(50 + chance.below(400));
    const killedAt = performance.now();
    await service.kill();
    await until(() => watched.every(({ follower }) => !follower.isOpen));
    await service.start();
    await until(areOpen);
    times.push(performance.now() - killedAt);
  }
  contacts.stop();
  await writing;
  onProgress('comparing the streams with the store');
  const outcome = { events: 0, lost: 0, doubled: 0 };
  for (const each of watched) {
    const stored = new Set((await storedEvents(each.url)).map(keyOf));
    await until(() => new Set(each.seen.map(keyOf)).size >= stored.size, 5_000);
    each.follower.close();
    const seen = new Set(each.seen.map(keyOf));
    outcome.events += each.seen.length;
    outcome.doubled += each.seen.length - seen.size;
    outcome.lost += [...stored].filter((key) => !seen.has(key)).length;
  }
  return {
    kills,
    messages: contacts.times.length,
    ...outcome,
    messagesLost: await lostMessages(service.url, contacts),
    back: { p50: quantile(times, 0.5), p99: quantile(times, 0.99), max: Math.max(...times) },
  };
}

function everyone({ acknowledged }: Contacts): boolean {
  return [...acknowledged.values()].every(({ length }) => length > 0);
}

function watch(url: string): Watched {
  const seen: Followed[] = [];
  return { url, seen, follower: new EventFollower(url, (event) => seen.push(event)) };
}

function keyOf({ instance, cursor }: Followed): string {
  return `${instance} ${cursor}`;
}

async function lostMessages(url: string, { acknowledged }: Contacts): Promise<number> {
  let lost = 0;
  for (const [contact, ids] of acknowledged) {
    const path = `/instances/${contact}/transcript?limit=10000`;
    const { lines } = (await (await fetch(url + path)).json()) as {
      readonly lines: readonly { readonly id: string; readonly role: string }[];
    };
    const stored = new Set(lines.filter(({ role }) => role === 'contact').map(({ id }) => id));
    lost += ids.filter((id) => !stored.has(id)).length;
  }
  return lost;
}

/** Resolves when a condition holds, or after a time. */
async function until(holds: () => boolean, withinMs = 60_000): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!holds() && performance.now() < deadline) await pause(2);
}

interface Followed {
  readonly cursor: string;
  readonly instance: string;
  readonly at: number;
  readonly event: Readonly<Record<string, unknown>> & { readonly type: string };
}

/** Milliseconds between two attempts to connect. */
const retryMs = 20;

/** Follows events as `EventSource` does: connects again with the header `Last-Event-ID`, until it is closed. */
export class EventFollower {
  readonly #url: string;
  readonly #onEvent: (event: Followed) => void;
  readonly #onOpen: () => void;
  readonly #agent = new Agent();
  #request: ClientRequest | undefined;
  #lastEventId: string | undefined;
  #isClosed = false;
  isOpen = false;

  /** @param url with a query */
  constructor(url: string, onEvent: (event: Followed) => void, onOpen: () => void = () => {}) {
    this.#url = url;
    this.#onEvent = onEvent;
    this.#onOpen = onOpen;
    void this.#follow();
  }

  /** The cursor after the last event, or that of the beginning of the stream. */
  get cursor(): string | undefined {
    return this.#lastEventId;
  }

  close(): void {
    this.#isClosed = true;
    this.#request?.destroy();
    this.#agent.destroy();
  }

  async #follow(): Promise<void> {
    while (!this.#isClosed) {
      await this.#once().catch(() => {});
      this.isOpen = false;
      if (!this.#isClosed) await pause(retryMs);
    }
  }

  async #once(): Promise<void> {
    const id = this.#lastEventId;
    const headers = id === undefined ? {} : { 'last-event-id': id };
    this.#request = get(this.#url, { agent: this.#agent, headers });
    const [response] = await once(this.#request, 'response');
    if (response.statusCode !== 200) return void response.resume();
    let text = '';
    response.setEncoding('utf8');
    for await (const part of response) {
      if (!this.isOpen) {
        this.isOpen = true;
        this.#onOpen();
      }
      text += part as string;
      const frames = text.split('\n\n');
      text = frames.pop()!;
      for (const frame of frames) this.#take(frame);
    }
  }

  #take(frame: string): void {
    const cursor = /^id: (.*)$/m.exec(frame)?.[1];
    const data = /^data: (.*)$/m.exec(frame)?.[1];
    if (cursor === undefined) return;
    // Also set by the named event `begin`, which has the cursor of the beginning of the stream.
    this.#lastEventId = cursor;
    if (data !== undefined && !frame.startsWith('event: '))
      this.#onEvent({ ...(JSON.parse(data) as Omit<Followed, 'cursor'>), cursor });
  }
}

/** The events of a new stream, until no more come. */
export async function storedEvents(url: string): Promise<readonly Followed[]> {
  const seen: Followed[] = [];
  const follower = new EventFollower(url, (event) => seen.push(event));
  while (!follower.isOpen) await pause(2);
  for (let before = -1; before !== seen.length;) {
    before = seen.length;
    await pause(400);
  }
  follower.close();
  return seen;
}
