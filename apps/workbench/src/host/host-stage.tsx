import type { Chart } from '@dramaturg/compiler';
import {
  Conversation,
  type Message,
  Statechart,
  Timeline,
  type TimelineEvent,
  durationText,
} from '@dramaturg/react';
import {
  compile,
  type Compiled,
  conversationLifecycle,
  createHost,
  type Host,
  type InstanceView,
  type Ports,
  type StartOptions,
  type TranscriptLine,
  understudyPorts,
} from 'dramaturg/browser';
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { StateValue } from 'xstate';
import {
  manualClock,
  type ManualClock,
  memoryStore,
  type StoreLocation,
} from '@dramaturg/host/browser';

interface TimeControlsProps {
  readonly session: HostSession;
  readonly pace: number;
  readonly onPace: (pace: number) => void;
}

const paces = [
  { pace: 0, label: 'stopped' },
  { pace: 1, label: 'real time' },
  { pace: 60, label: '1 minute per second' },
  { pace: 600, label: '10 minutes per second' },
  { pace: 3600, label: '1 hour per second' },
];

/** Shows the time of the host, sets its speed, and jumps to the next reminder. */
function TimeControls({ session, pace, onPace }: TimeControlsProps) {
  const { now, instances } = session.state;
  const due = instances.flatMap(({ dueAt }) => dueAt ?? []);
  const next = due.length > 0 ? Math.min(...due) : undefined;
  return (
    <div className="wb-tools">
      <time className="wb-time" dateTime={new Date(now).toISOString()}>
        {new Date(now).toISOString().slice(0, 16).replace('T', ', ')}
      </time>
      <select
        aria-label="Speed of time"
        value={pace}
        onChange={(event) => onPace(Number(event.target.value))}
      >
        {paces.map((each) => (
          <option key={each.pace} value={each.pace}>
            Time: {each.label}
          </option>
        ))}
      </select>
      <button
        type="button"
        disabled={next === undefined}
        onClick={() => {
          session.time.setTo(next!);
          void session.look();
        }}
      >
        Go to the next reminder
      </button>
    </div>
  );
}

/** Runs a host while the page is shown. */
function useHostSession(options: SessionOptions): HostSession | undefined {
  const [session, setSession] = useState<HostSession>();
  useEffect(() => {
    const created = new HostSession(options);
    setSession(created);
    void created.open();
    const watching = setInterval(() => void created.look(), 200);
    return () => {
      clearInterval(watching);
      void created.close();
    };
    // Later changes of the options have no effect.
  }, []);
  useSyncExternalStore(
    useCallback((listener: () => void) => session?.subscribe(listener) ?? nothing, [session]),
    () => session?.state,
  );
  return session;
}

const nothing = () => {};

export interface HostStageProps extends SessionOptions {
  readonly note: string;
  /** Seconds of the host's clock per real second. */
  readonly pace: number;
  /** Whether the page has a button that crashes and restarts the host. */
  readonly canCrash?: boolean;
}

/** A host in the page: its instances, and the lifecycle, the conversation and the events of one of them. */
export function HostStage(props: HostStageProps) {
  const session = useHostSession(props);
  const [pace, setPace] = useState(props.pace);
  const [chosen, setChosen] = useState<string>();
  useEffect(() => session?.time.run(pace), [session, pace]);
  if (!session) return null;
  const { state } = session;
  const shown = state.instances.find(({ id }) => id === chosen) ?? state.instances[0];
  return (
    <main className="wb wb-stage" data-up={state.isUp}>
      <header className="wb-bar">
        <TimeControls session={session} pace={pace} onPace={setPace} />
        {props.canCrash && <CrashButton session={session} />}
      </header>
      <p className="wb-note">{props.note}</p>
      <section className="wb-panel wb-definition" aria-label="Instances">
        <InstanceList
          instances={state.instances}
          now={state.now}
          shown={shown?.id}
          onShow={setChosen}
          onPause={(id) => void session.ask((host) => host.pause(id))}
          onResume={(id) => void session.ask((host) => host.resume(id))}
          onCancel={(id) => void session.ask((host) => host.cancel(id, 'by hand'))}
        />
      </section>
      <section className="wb-panel wb-chart" aria-label="Lifecycle">
        {shown && <Lifecycle instance={shown} />}
      </section>
      <section className="wb-panel wb-talk" aria-label="Conversation with the contact">
        {shown && (
          <ContactConversation
            instance={shown}
            lines={state.transcripts.get(shown.id) ?? []}
            isUp={state.isUp}
            onSay={(contact, text) => void session.ask((host) => host.receive({ contact, text }))}
          />
        )}
      </section>
      <section className="wb-panel wb-events" aria-label="What has happened">
        <Timeline events={state.events} />
      </section>
    </main>
  );
}

function CrashButton({ session }: { readonly session: HostSession }) {
  return session.state.isUp ? (
    <button type="button" onClick={() => void session.crash()}>
      Crash the host
    </button>
  ) : (
    <button type="button" onClick={() => void session.open()}>
      Restart the host
    </button>
  );
}

const lifecycle = compile(JSON.stringify(conversationLifecycle), { format: 'lifecycle' }).chart!;

function Lifecycle({ instance }: { readonly instance: InstanceView }) {
  const value = useMemo(() => stateValue(lifecycle, instance.state), [instance.state]);
  return <Statechart chart={lifecycle} value={value} />;
}

/** The state value of a machine in the state with this authored name. */
function stateValue(chart: Chart, name: string): StateValue | undefined {
  const pending = [{ node: chart as Pick<Chart, 'states' | 'meta'>, path: [] as string[] }];
  for (const { node, path } of pending) {
    if (node.meta?.['state'] === name)
      return path.reduceRight<StateValue>((inner, key) => ({ [key]: inner }), {});
    for (const [key, child] of Object.entries(node.states ?? {}))
      pending.push({ node: child, path: [...path, key] });
  }
  return undefined;
}

interface ContactConversationProps {
  readonly instance: InstanceView;
  readonly lines: readonly TranscriptLine[];
  readonly isUp: boolean;
  readonly onSay: (contact: string, text: string) => void;
}

function ContactConversation({ instance, lines, isUp, onSay }: ContactConversationProps) {
  const { address, ended, state } = instance;
  const messages = lines
    .filter(({ role }) => role !== 'system')
    .map(({ id, role, text, at }): Message => ({
      id,
      role: role === 'contact' ? 'person' : 'agent',
      text,
      at,
    }));
  const isWorking = state === 'ACTIVE' || state === 'WAITING_FOR_AGENT';
  return (
    <Conversation
      messages={messages}
      turn={ended ? 'ended' : isWorking && isUp ? 'agent' : 'person'}
      names={{ person: address ?? 'Contact' }}
      empty={`${instance.id}: no messages yet.`}
      onSay={isUp && address !== null ? (text) => onSay(address, text) : undefined}
    />
  );
}

interface InstanceListProps {
  readonly instances: readonly InstanceView[];
  readonly now: number;
  readonly shown: string | undefined;
  readonly onShow: (id: string) => void;
  readonly onPause: (id: string) => void;
  readonly onResume: (id: string) => void;
  readonly onCancel: (id: string) => void;
}

/** The instances of a host, in the order in which they were started. */
function InstanceList(props: InstanceListProps) {
  const { instances, now, shown, onShow, onPause, onResume, onCancel } = props;
  return (
    <ul className="wb-instances" aria-label="Instances">
      {instances.map(({ id, state, address, dueAt, ended, holdsContact }) => (
        <li key={id} data-shown={id === shown || undefined} data-state={state}>
          <button type="button" aria-pressed={id === shown} onClick={() => onShow(id)}>
            <strong>{id}</strong>
            <span>{state}</span>
            <small>
              with {address ?? 'nobody'}
              {!ended && (holdsContact ? ', holds the contact' : ', waits in the queue')}
              {dueAt !== undefined && `, reminder in ${durationText(dueAt - now)}`}
            </small>
          </button>
          {!ended && (
            <div className="wb-buttons">
              {state === 'PAUSED' ? (
                <button type="button" onClick={() => onResume(id)}>
                  Resume
                </button>
              ) : (
                <button type="button" onClick={() => onPause(id)}>
                  Pause
                </button>
              )}
              <button type="button" onClick={() => onCancel(id)}>
                Cancel
              </button>
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

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
interface SessionState {
  readonly isUp: boolean;
  readonly now: number;
  readonly instances: readonly InstanceView[];
  readonly transcripts: ReadonlyMap<string, readonly TranscriptLine[]>;
  readonly events: readonly TimelineEvent[];
}

interface SessionOptions {
  /** The texts of definitions, by the names that instances are started by. */
  readonly definitions: Readonly<Record<string, string>>;
  /** The instances to start when the host opens for the first time, by the name of their definition. */
  readonly instances: readonly (StartOptions & { readonly definition: string })[];
  /** Milliseconds between the words of a reply. */
  readonly wordDelay: number;
}

const startTime = Date.UTC(2026, 0, 5, 9);

/** A host in this page with its own clock. Its store is in memory and survives a crash of the host. */
class HostSession {
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
