import { once } from 'node:events';
import { Agent, type ClientRequest, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

export interface Followed {
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

  /** The cursor after the last event, or where the stream has begun. */
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
    // Also of a frame without data, which says where the stream has begun.
    this.#lastEventId = cursor;
    if (data !== undefined)
      this.#onEvent({ ...(JSON.parse(data) as Omit<Followed, 'cursor'>), cursor });
  }
}

/** The events that a new stream gives, until nothing more comes. */
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
