import type { Chart } from '@dramaturg/compiler';
import { Conversation, type Message, Statechart, Timeline } from '@dramaturg/react';
import {
  compile,
  conversationLifecycle,
  type InstanceView,
  type TranscriptLine,
} from 'dramaturg/browser';
import { useEffect, useMemo, useState } from 'react';
import type { StateValue } from 'xstate';
import { InstanceList } from './instance-list.tsx';
import type { HostSession, SessionOptions } from './host-session.ts';
import { TimeControls } from './time-controls.tsx';
import { useHostSession } from './use-host-session.ts';

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

/** The value of the machine in the state with an authored name. */
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
