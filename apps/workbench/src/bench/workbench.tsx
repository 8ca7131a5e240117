import {
  type DrawnNode,
  type FormatKind,
  type Json,
  languageOf,
  type Range,
} from '@dramaturg/compiler';
import {
  Conversation,
  Deliverables,
  Statechart,
  Timeline,
  useConversation,
} from '@dramaturg/react';
import { type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { clockFor, portsFor } from '../answers/answers.ts';
import type { ModelSettings } from '../answers/model-ports.ts';
import { ModelForm } from '../answers/model-form.tsx';
import { DefinitionEditor } from '../editor/definition-editor.tsx';
import { Findings } from '../editor/findings.tsx';
import { deliverablesOf } from './deliverables-of.ts';
import { EventSender } from './event-sender.tsx';
import { TranscriptPlayer } from './transcript-player.tsx';
import { useDefinition } from './use-definition.ts';
import { usePerformance } from './use-performance.ts';
import { verdictOn } from './verdict-on.ts';

export interface WorkbenchProps {
  readonly text: string;
  readonly fileName?: string | undefined;
  /** The name of the format, so that no other needs to be loaded. */
  readonly format?: string | undefined;
  /** Options of the format. */
  readonly options?: Readonly<Record<string, string | number>>;
  /** The input of the machine. */
  readonly input?: Json | undefined;
  readonly transcripts?: Readonly<Record<string, string>>;
  /** What agents of workflows and tools answer, by name. Any other agent hands its input back. */
  readonly agents?: Readonly<Record<string, Json>>;
  /** Words a second; 0 is at once. */
  readonly speed?: number;
  /** Whether waits, timeouts and pauses before retries take their time. */
  readonly waits?: 'real' | 'skipped';
  readonly detail?: 'overview' | 'full';
  /** What is to be seen here. */
  readonly note?: string | undefined;
  /** A transcript that is played as soon as the page is shown. */
  readonly opening?: string | undefined;
  /** More to do with the definition. */
  readonly tools?: ReactNode;
  /** Somebody has changed the text, or put another one in its place. */
  readonly onChange?: (text: string, isReplaced: boolean) => void;
}

const none: Readonly<Record<string, never>> = {};

/** A definition that can be changed, what is wrong with it, its chart, and a conversation or a run of it. */
export function Workbench(props: WorkbenchProps) {
  return (
    <Suspense fallback={<p className="wb-nothing">The format is being loaded.</p>}>
      <Panels {...props} />
    </Suspense>
  );
}

function Panels(props: WorkbenchProps) {
  const { fileName, options, input, transcripts = none, agents = none, onChange } = props;
  const { speed = 25, waits = 'real', detail = 'overview' } = props;
  const [edited, setEdited] = useState({ from: props.text, text: props.text });
  // Another definition takes the place of what was written here.
  const text = edited.from === props.text ? edited.text : props.text;
  const clock = useMemo(() => clockFor(waits), [waits]);
  const compiled = useDefinition(text, { fileName, options, clock, format: props.format });
  const { chart, machine, diagnostics, kind, source } = compiled;

  const [model, setModel] = useState<ModelSettings>();
  const { performance, isPlaying, begin, end, follow } = usePerformance(machine, input);
  const ports = performance?.ports ?? portsFor({ speed, agents, clock, model });
  const given = kind === 'workflow' ? workflowInput(input) : input;
  const now = clock.world.now;
  const run = useConversation(machine, ports, { input: given, now });
  useEffect(() => follow(run));
  useOnce(() => {
    if (props.opening !== undefined) begin(transcripts[props.opening]!, { run, speed });
  });
  const restart = () => {
    end();
    run.restart();
  };
  const [shown, setShown] = useState<Range>();
  const pick = ({ origin }: DrawnNode) => origin && setShown(source.locate(origin));
  const isTalk = kind === 'conversation';
  const items = chart ? deliverablesOf(chart, run.deliverables) : [];

  return (
    <main className="wb" data-turn={run.turn} data-playing={isPlaying || undefined}>
      <header className="wb-bar">
        <p className="wb-verdict" data-ok={machine !== undefined}>
          {verdictOn(compiled)}
        </p>
        <div className="wb-tools">
          {props.tools}
          {Object.keys(transcripts).length > 0 && machine && (
            <TranscriptPlayer
              transcripts={transcripts}
              isPlaying={isPlaying}
              onPlay={(name) => begin(transcripts[name]!, { run, speed })}
            />
          )}
          {isTalk && (
            <ModelForm
              model={model}
              onChange={(chosen) => {
                setModel(chosen);
                // What a transcript has left open is answered by nobody else.
                if (performance) restart();
              }}
            />
          )}
          <button type="button" disabled={!machine} onClick={restart}>
            Restart
          </button>
        </div>
      </header>
      {props.note !== undefined && <p className="wb-note">{props.note}</p>}
      <section className="wb-panel wb-definition" aria-label="Definition">
        <DefinitionEditor
          text={text}
          language={languageOf(text, fileName)}
          findings={diagnostics}
          shown={shown}
          onChange={(changed, isReplaced) => {
            setEdited({ from: props.text, text: changed });
            onChange?.(changed, isReplaced);
          }}
        />
        <Findings findings={diagnostics} onPick={({ range }) => setShown(range)} />
      </section>
      <section className="wb-panel wb-chart" aria-label="Chart">
        {chart ? (
          <Statechart chart={chart} value={run.values} detail={detail} onSelect={pick} />
        ) : (
          <p className="wb-nothing">There is a chart once nothing is an error.</p>
        )}
      </section>
      <section className="wb-panel wb-talk" aria-label="Run">
        {run.error !== undefined && run.error !== null && (
          <p className="wb-error" role="alert">
            {(run.error as Error).message}
          </p>
        )}
        {machine && (
          <Conversation
            messages={run.messages}
            partial={run.partial}
            turn={isTalk ? run.turn : run.turn === 'ended' ? 'ended' : 'person'}
            decisions={run.decisions}
            onDecide={run.decide}
            onSay={isTalk ? run.say : undefined}
            onRetry={run.retry}
            empty={kind ? emptyWords[kind] : ''}
          />
        )}
        {machine && run.snapshot && !isTalk && (
          <EventSender snapshot={run.snapshot} isOpen={kind === 'lifecycle'} onSend={run.send} />
        )}
        {run.turn === 'ended' && run.snapshot?.status === 'done' && (
          <details className="wb-output" open={!isTalk}>
            <summary>What it has come to</summary>
            <pre tabIndex={0}>{JSON.stringify(run.snapshot.output, null, 2)}</pre>
          </details>
        )}
        {items.length > 0 && <Deliverables items={items} />}
      </section>
      <section className="wb-panel wb-events" aria-label="What has happened">
        <Timeline events={run.events} />
      </section>
      {performance && (
        <output className="wb-visually-hidden" data-testid="performance">
          {performance.lines.join('\n')}
        </output>
      )}
    </main>
  );
}

/** Does something once the page is shown. */
function useOnce(work: () => void): void {
  const isDone = useRef(false);
  useEffect(() => {
    if (isDone.current) return;
    isDone.current = true;
    work();
  });
}

const emptyWords: Readonly<Record<FormatKind, string>> = {
  workflow: 'A workflow has no conversation. What a person has to decide is asked here.',
  lifecycle: 'A lifecycle is a table of states and events: send it its events.',
  conversation: 'The person begins: write a message.',
};

/** Whoever looks at the page has asked for the run. */
function workflowInput(input: Json | undefined) {
  const context = { Execution: { Requestor: 'person' } };
  return input === undefined ? { context } : { input, context };
}
