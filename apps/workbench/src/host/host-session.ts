import {
  manualClock,
  type ManualClock,
  memoryStore,
  type StoreLocation,
} from '@dramaturg/host/browser';
import type { TimelineEvent } from '@dramaturg/react';
import {
  compile,
  type Compiled,
  createHost,
  type Host,
  type InstanceView,
  type Ports,
  type StartOptions,
  type TranscriptLine,
  understudyPorts,
} from 'dramaturg/browser';

/** Milliseconds between two updates of the clock. */
const tickMs = 50;

/** A clock that can run at any speed, stop, or jump ahead. */
class StageClock {
  readonly clock: ManualClock;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(startAt: number) {
    this.clock = manualClock({ startAt });
  }

  /** @param pace seconds of the clock per real second; 0 stops it */
  run(pace: number): void {
    clearInterval(this.#timer);
    if (pace === 0) return;
    this.#timer = setInterval(() => this.advance(tickMs * pace), tickMs);
  }

  advance(milliseconds: number): void {
    this.clock.set(this.clock.now() + milliseconds);
  }

  setTo(at: number): void {
    if (at > this.clock.now()) this.clock.set(at);
  }
}

/** The state of a host that the page shows. */
export interface SessionState {
  readonly isUp: boolean;
  readonly now: number;
  readonly instances: readonly InstanceView[];
  readonly transcripts: ReadonlyMap<string, readonly TranscriptLine[]>;
  readonly events: readonly TimelineEvent[];
}

export interface SessionOptions {
  /** The texts of definitions, by the names that instances are started by. */
  readonly definitions: Readonly<Record<string, string>>;
  /** The instances to start when the host opens for the first time, by the name of their definition. */
  readonly instances: readonly (StartOptions & { readonly definition: string })[];
  /** Milliseconds between the words of a reply. */
  readonly wordDelay: number;
}

const startTime = Date.UTC(2026, 0, 5, 9);

/** A host in this page with its own clock. Its store is in memory and survives a crash of the host. */
export class HostSession {
  readonly time = new StageClock(startTime);
  readonly #options: SessionOptions;
  readonly #store: StoreLocation = memoryStore();
  readonly #listeners = new Set<() => void>();
  readonly #definitions: Readonly<Record<string, Compiled>>;
  #host: Host | undefined;
  #looking: Promise<void> | undefined;
  #count = 0;
  #state: SessionState = {
    isUp: false,
    now: startTime,
    instances: [],
    transcripts: new Map(),
    events: [],
  };

  constructor(options: SessionOptions) {
    this.#options = options;
    const texts = Object.entries(options.definitions);
    this.#definitions = Object.fromEntries(texts.map(([name, text]) => [name, compile(text)]));
  }

  get state(): SessionState {
    return this.#state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Starts a host on the store, which continues unfinished work. The first time, it starts the instances. */
  async open(): Promise<void> {
    const host = await createHost({
      store: this.#store,
      definitions: this.#definitions,
      ports: this.#ports(),
      // The page reads the messages from the transcript.
      channels: { page: { deliver: () => {} } },
      clock: this.time.clock,
      // The clock's hours may pass in seconds, while a model answers in real time.
      callTimeout: Infinity,
    });
    this.#host = host;
    void this.#follow(host);
    const isFirst = (await host.list()).items.length === 0;
    if (isFirst)
      for (const { definition, ...options } of this.#options.instances)
        await host.start(definition, options);
    this.#set({ isUp: true });
    await this.look();
  }

  /** Stops the host in the middle of its work. The store stays. */
  async crash(): Promise<void> {
    const host = this.#host;
    this.#host = undefined;
    this.#record('host', { type: 'host.gone' });
    this.#set({ isUp: false });
    await host?.stop({ within: 0 });
  }

  /** Calls the host, if it is up. */
  async ask(work: (host: Host) => Promise<unknown>): Promise<void> {
    if (!this.#host) return;
    const answer = await work(this.#host);
    if (isRefusal(answer)) this.#record('host', { type: 'refused', because: answer.because });
    await this.look();
  }

  async close(): Promise<void> {
    this.time.run(0);
    this.#listeners.clear();
    const host = this.#host;
    this.#host = undefined;
    await host?.stop({ within: 0 });
  }

  /** Updates the state from the host. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  async #look(): Promise<void> {
    const host = this.#host;
    this.#set({ now: this.time.clock.now() });
    if (!host) return;
    try {
      const { items } = await host.list();
      const instances = await Promise.all(items.map(({ id }) => host.get(id)));
      const transcripts = await Promise.all(
        items.map(
          async ({ id }) => [id, await host.transcript(id, { from: 0, limit: 200 })] as const,
        ),
      );
      this.#set({ instances, transcripts: new Map(transcripts), now: this.time.clock.now() });
    } catch (error) {
      // A host that crashed during the read cannot answer, which is not an error.
      if (this.#host === host) throw error;
    }
  }

  async #follow(host: Host): Promise<void> {
    for await (const { instance, source, event } of host.events()) {
      this.#record(`${instance} ${source}`, { ...event });
      await this.look();
    }
  }

  /** The ports of the understudy. Each reply call is recorded, so that the page can show that a repeated call has the same key. */
  #ports(): Partial<Ports> {
    const understudy = understudyPorts({ wordDelay: this.#options.wordDelay });
    return {
      ...understudy,
      reply: (input, call) => {
        this.#record('port', { type: 'reply.asked', key: input.key });
        return understudy.reply(input, call);
      },
    };
  }

  #record(source: string, event: TimelineEvent['event']): void {
    this.#count += 1;
    const at = this.time.clock.now();
    this.#set({ events: [...this.#state.events, { id: String(this.#count), at, source, event }] });
  }

  #set(change: Partial<SessionState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}

function isRefusal(answer: unknown): answer is { readonly because: string } {
  return (answer as { readonly accepted?: unknown } | undefined)?.accepted === false;
}
