import {
  Conversation,
  type ConversationControls,
  Deliverables,
  Statechart,
  useConversation,
} from '@dramaturg/react';
import { type Compiled, compile } from '@dramaturg/compiler';
import { understudyPorts } from '@dramaturg/understudy';
import { Suspense, use, useMemo } from 'react';
import { loadFormats } from '../bench/load-formats.ts';

export interface SideBySideProps {
  readonly note: string;
  readonly left: Side;
  readonly right: Side;
  /** Words per second; 0 means without pauses. */
  readonly speed: number;
}

interface Side {
  readonly title: string;
  readonly text: string;
}

/** Compares two plans that receive the same messages. */
export function SideBySide(props: SideBySideProps) {
  return (
    <Suspense fallback={<p className="wb-nothing">Loading the format …</p>}>
      <Sides {...props} />
    </Suspense>
  );
}

function Sides({ note, left, right, speed }: SideBySideProps) {
  const ports = understudyPorts({ wordDelay: speed > 0 ? 1000 / speed : 0 });
  const [one, other] = [useCompiled(left.text), useCompiled(right.text)];
  const [first, second] = [
    useConversation(one.machine, ports),
    useConversation(other.machine, ports),
  ];
  const say = (text: string) => {
    first.say(text);
    second.say(text);
  };
  return (
    <main className="wb wb-sides">
      <p className="wb-note">{note}</p>
      <Half title={left.title} compiled={one} run={first} onSay={say} />
      <Half title={right.title} compiled={other} run={second} onSay={say} />
    </main>
  );
}

function useCompiled(text: string): Compiled {
  const formats = use(loadFormats('plan'));
  return useMemo(() => compile(text, { formats }), [text, formats]);
}

interface HalfProps {
  readonly title: string;
  readonly compiled: Compiled;
  readonly run: ConversationControls;
  readonly onSay: (text: string) => void;
}

function Half({ title, compiled: { chart }, run, onSay }: HalfProps) {
  if (!chart) return null;
  const { values, messages, partial, turn, deliverables, retry } = run;
  return (
    <section className="wb-half" aria-label={title}>
      <h2>{title}</h2>
      <div className="wb-half-chart">
        <Statechart chart={chart} value={values} />
      </div>
      <Conversation
        messages={messages}
        partial={partial}
        turn={turn}
        onSay={onSay}
        onRetry={retry}
      />
      <Deliverables items={deliverables} />
    </section>
  );
}
