import type { Chart } from '@dramaturg/compiler';
import { Conversation, type Message, Statechart, Timeline } from '@dramaturg/react';
import {
  compile,
  conversationLifecycle,
  type InstanceView,
  type TranscriptLine,
} from 'dramaturg/browser';
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { StateValue } from 'xstate';
import { HostSession, type SessionOptions } from './host-session.ts';

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
              {dueAt !== undefined && `, reminder in ${inWords(dueAt - now)}`}
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

/** Formats milliseconds for people: `2 h 5 min`. */
function inWords(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  const parts = [
    [Math.floor(minutes / 1440), 'd'],
    [Math.floor(minutes / 60) % 24, 'h'],
    [minutes % 60, 'min'],
  ] as const;
  return parts.flatMap(([count, unit]) => (count > 0 ? `${count} ${unit}` : [])).join(' ');
}
