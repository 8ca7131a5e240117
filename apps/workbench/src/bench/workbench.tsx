import { isRecord, type Json, type Path, type Range, type Source } from '@dramaturg/compiler';
import { type DrawnNode, type Drawing, drawingOf } from '@dramaturg/compiler/chart';
import { languageOf } from '@dramaturg/compiler/editor';
import type { FormatKind } from '@dramaturg/compiler/format';
import { spendingInMemory } from '@dramaturg/host/browser';
import {
  Conversation,
  type ConversationControls,
  type CountedUnit,
  Deliverables,
  Statechart,
  Timeline,
  useConversation,
} from '@dramaturg/react';
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { clockFor, portsFor } from '../answers/answers.ts';
import { ModelForm } from '../answers/model-form.tsx';
import type { ModelSettings } from '../answers/model-ports.ts';
import { CoveragePanel } from '../coverage/coverage-panel.tsx';
import type { Evidence } from '../coverage/evidence.ts';
import { useCoverage } from '../coverage/use-coverage.ts';
import type { CodeEditorProps } from '../editor/code-editor.tsx';
import { Findings, withSuggestion } from '../editor/findings.tsx';
import { EventSender } from './event-sender.tsx';
import { useBegun } from './use-begun.ts';
import { type CompiledDefinition, useDefinition } from './use-definition.ts';
import { usePerformance } from './use-performance.ts';

export interface WorkbenchProps {
  readonly text: string;
  readonly fileName?: string | undefined;
  /** The name of the format. The others are loaded only when the text has errors. */
  readonly format?: string | undefined;
  /** Options of the format. */
  readonly options?: Readonly<Record<string, string | number>>;
  /** The input of the machine. */
  readonly input?: Json | undefined;
  readonly transcripts?: Readonly<Record<string, string>>;
  /** The answers of agents and tools, by name. Other agents return their input. */
  readonly agents?: Readonly<Record<string, Json>>;
  /** The sizes of the pools for budgets. */
  readonly pools?: Readonly<Record<string, number>>;
  /** Words per second; 0 means without pauses. */
  readonly speed?: number;
  /** Whether waits, timeouts and the backoff of retries take real time. */
  readonly waits?: 'real' | 'skipped';
  readonly detail?: 'overview' | 'full';
  /** The tests of the definition, or a report about them. */
  readonly tests?: Evidence | undefined;
  /** Explains the purpose of the page. */
  readonly note?: string | undefined;
  /** The name of a transcript to play when the page is shown. */
  readonly opening?: string | undefined;
  /** More controls for the bar. */
  readonly tools?: ReactNode;
  /** Called when the person has edited the text, or replaced all of it. */
  readonly onChange?: (text: string, isReplaced: boolean) => void;
}

const none: Readonly<Record<string, never>> = {};

/** An editable definition with its diagnostics, its chart, and a conversation with it or a run of it. */
export function Workbench(props: WorkbenchProps) {
  return (
    <Suspense fallback={<p className="wb-nothing">Loading the format …</p>}>
      <Panels {...props} />
    </Suspense>
  );
}

function Panels(props: WorkbenchProps) {
  const { fileName, options, input, transcripts = none, agents = none, onChange } = props;
  const { pools = none } = props;
  const { speed = 25, waits = 'real', detail = 'overview' } = props;
  const [edited, setEdited] = useState({ from: props.text, text: props.text });
  // A new definition from outside replaces the edited text.
  const text = edited.from === props.text ? edited.text : props.text;
  const clock = useMemo(() => clockFor(waits), [waits]);
  const spending = useMemo(() => spendingInMemory({ clock, pools }), [clock, pools]);
  const compiled = useDefinition(text, { fileName, options, clock, format: props.format });
  const [epoch, setEpoch] = useState(0);
  const [given, setGiven] = useState(props.text);
  if (given !== props.text) {
    setGiven(props.text);
    // The surrounding page may pass back the text that was edited here.
    if (props.text !== edited.text) setEpoch((before) => before + 1);
  }
  const good = useLastGood(compiled, epoch);
  const { diagnostics, source, formats } = compiled;
  const format = compiled.format ?? props.format;
  const known = useMemo(
    () => ({ formats, fileName, format, known: { agent: Object.keys(agents) } }),
    [formats, fileName, format, agents],
  );
  const { chart, kind } = good;
  const isStale = good !== compiled;
  const coverage = useCoverage(good, props.tests, fileName);
  const { isOn: isCovered, tested } = coverage;
  const [untested, setUntested] = useState<CountedUnit>();
  const { begun, begin: beginWith, goOn } = useBegun(good.machine);
  const { machine } = begun;

  const [model, setModel] = useState<ModelSettings>();
  const { performance, isPlaying, begin, end, follow } = usePerformance(machine, input);
  const ports = performance?.ports ?? portsFor({ speed, agents, clock, spending, model });
  const runInput = kind === 'workflow' ? workflowInput(input) : input;
  const now = clock.world.now;
  const run = useConversation(machine, ports, { input: runInput, now, from: begun.from });
  useEffect(() => follow(run));
  useEffect(() => {
    if (good.machine === machine) return;
    // A transcript is played from the beginning.
    if (performance) beginWith(good.machine);
    else goOn(good.machine, run.persist());
  }, [good.machine]);
  useOnce(() => {
    if (props.opening !== undefined) begin(transcripts[props.opening]!, { run, speed });
  });
  const restart = () => {
    end();
    beginWith(good.machine);
    run.restart();
  };
  const edit = (changed: string, isReplaced: boolean) => {
    setEdited({ from: props.text, text: changed });
    if (isReplaced) setEpoch((before) => before + 1);
    onChange?.(changed, isReplaced);
  };
  const [shown, setShown] = useState<Range>();
  const [cursor, setCursor] = useState<number>();
  const drawing = useMemo(() => chart && drawingOf(chart), [chart]);
  const written = useMemo(
    () =>
      cursor === undefined || isStale || !drawing ? undefined : placeAt(cursor, drawing, source),
    [cursor, isStale, drawing, source],
  );
  const pick = ({ origin }: DrawnNode) => {
    setCursor(undefined);
    if (origin) setShown(source.locate(origin));
  };
  const pickUntested = (unit: CountedUnit) => {
    setUntested(unit);
    setShown(good.source.locate(unit.path));
  };
  const isConversation = kind === 'conversation';
  const items = run.deliverables;

  return (
    <main className="wb" data-turn={run.turn} data-playing={isPlaying || undefined}>
      <header className="wb-bar">
        <p className="wb-verdict" data-ok={compiled.machine !== undefined}>
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
          {isConversation && (
            <ModelForm
              model={model}
              onChange={(chosen) => {
                setModel(chosen);
                // Open calls of a transcript would never be answered, so the run restarts.
                if (performance) restart();
              }}
            />
          )}
          <button type="button" aria-pressed={isCovered} onClick={() => coverage.setOn(!isCovered)}>
            Coverage
          </button>
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
          known={known}
          shown={shown}
          onChange={(changed, isReplaced) => {
            edit(changed, isReplaced);
          }}
          onCursor={setCursor}
        />
        <Findings
          findings={diagnostics}
          onPick={({ range }) => setShown(range)}
          onTake={(finding, suggestion) => edit(withSuggestion(text, finding, suggestion), false)}
        />
      </section>
      <section className="wb-panel wb-chart" aria-label="Chart" data-stale={isStale || undefined}>
        {isStale && (
          <p className="wb-stale">The last chart without errors. The run goes on with it.</p>
        )}
        {chart ? (
          <Statechart
            chart={chart}
            {...(isCovered ? {} : runMarks(run))}
            coverage={isCovered && tested.status === 'known' ? tested.units : undefined}
            highlighted={isCovered ? untested : written}
            detail={detail}
            onSelect={pick}
          />
        ) : (
          <p className="wb-nothing">The chart appears when the definition has no errors.</p>
        )}
        {isCovered && (
          <CoveragePanel
            tested={tested}
            selected={untested}
            onSelect={pickUntested}
            onOpen={coverage.open}
          />
        )}
      </section>
      <section className="wb-panel wb-talk" aria-label="Run">
        {run.error !== undefined && run.error !== null && (
          <p className="wb-error" role="alert">
            {(run.error as Error).message}
          </p>
        )}
        {!machine && (
          <p className="wb-nothing">The run begins when the definition has no errors.</p>
        )}
        {machine && (
          <Conversation
            messages={run.messages}
            partial={run.partial}
            turn={isConversation ? run.turn : run.turn === 'ended' ? 'ended' : 'person'}
            decisions={run.decisions}
            onDecide={run.decide}
            onSay={isConversation ? run.say : undefined}
            onRetry={run.retry}
            empty={kind ? emptyWords[kind] : ''}
          />
        )}
        {machine && run.snapshot && !isConversation && (
          <EventSender snapshot={run.snapshot} isOpen={kind === 'lifecycle'} onSend={run.send} />
        )}
        {run.turn === 'ended' && run.snapshot?.status === 'done' && (
          <details className="wb-output" open={!isConversation}>
            <summary>Output</summary>
            <pre tabIndex={0}>{JSON.stringify(run.snapshot.output, null, 2)}</pre>
          </details>
        )}
        {items.length > 0 && <Deliverables items={items} />}
      </section>
      <section className="wb-panel wb-events" aria-label="What has happened">
        <Timeline events={run.events} />
      </section>
      {performance && (
        <output className="dg-visually-hidden" data-testid="performance">
          {performance.lines.join('\n')}
        </output>
      )}
    </main>
  );
}

/** Runs the work once, when the page is first shown. */
function useOnce(work: () => void): void {
  const isDone = useRef(false);
  useEffect(() => {
    if (isDone.current) return;
    isDone.current = true;
    work();
  });
}

const emptyWords: Readonly<Record<FormatKind, string>> = {
  workflow: 'A workflow has no conversation. Decisions for a person appear here.',
  lifecycle: 'A lifecycle is a table of states and events. Send it an event.',
  conversation: 'The person begins: write a message.',
};

/** The innermost state or transition that is written around an offset. */
function placeAt(offset: number, { nodes, edges }: Drawing, source: Source) {
  const places = [
    ...nodes.flatMap(({ origin }) => (origin ? [{ kind: 'state', path: origin }] : [])),
    ...edges.flatMap(({ origins = [] }) => origins.map((path) => ({ kind: 'transition', path }))),
  ];
  let found: { readonly kind: string; readonly path: Path; readonly length: number } | undefined;
  for (const { kind, path } of places) {
    const { start, end } = source.locate(path);
    const length = end.offset - start.offset;
    const isAround = start.offset <= offset && offset <= end.offset;
    if (isAround && length < (found?.length ?? Infinity)) found = { kind, path, length };
  }
  return found;
}

/** The marks of a run in the chart. Coverage replaces these marks. */
function runMarks(run: ConversationControls) {
  const { values, visited, isFailed, failedIn, snapshot, progress } = run;
  return { value: values, visited, isFailed: isFailed || hasFailed(snapshot), failedIn, progress };
}

/** Whether a workflow has ended without success, or its machine has failed. */
function hasFailed(snapshot: { readonly status: string; readonly output?: unknown } | undefined) {
  if (snapshot?.status === 'error') return true;
  const output = snapshot?.output;
  return isRecord(output) && (output['status'] === 'failed' || output['status'] === 'timedOut');
}

/** The viewer of the page counts as the requestor of the run. */
function workflowInput(input: Json | undefined) {
  const context = { Execution: { Requestor: 'person' } };
  return input === undefined ? { context } : { input, context };
}

/**
 * The last definition without errors. While the text has errors, its chart and its run stay. A text that replaces the whole
 * definition starts again.
 *
 * @param epoch differs after each replacement
 */
function useLastGood(compiled: CompiledDefinition, epoch: number): CompiledDefinition {
  const [kept, setKept] = useState({ seen: compiled, good: compiled, epoch });
  // The text is compiled some time after a change, so the epoch is used when there is a result.
  if (compiled === kept.seen) return kept.good;
  const keepsGood = !compiled.machine && kept.good.machine && epoch === kept.epoch;
  const good = keepsGood ? kept.good : compiled;
  setKept({ seen: compiled, good, epoch });
  return good;
}

/** One line that names the format of a text and says whether it can run. */
export function verdictOn({ title, machine, diagnostics, source }: CompiledDefinition): string {
  if (source.text.trim() === '')
    return 'Write or drop a definition: a plan, a workflow, a scenario, a context graph or a lifecycle.';
  const what = title ? title.charAt(0).toUpperCase() + title.slice(1) : 'Unknown format';
  const countOf = (severity: string) =>
    diagnostics.filter((each) => each.severity === severity).length;
  const [errors, warnings] = [countOf('error'), countOf('warning')];
  if (machine)
    return warnings === 0 ? `${what}, valid` : `${what}, valid, with ${count(warnings, 'warning')}`;
  return `${what}, with ${count(errors, 'error')}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

// Loaded lazily: it is large, and the page is useful without it.
const CodeEditor = lazy(() => import('../editor/code-editor.tsx'));

/** The definition as text, with its diagnostics marked. */
function DefinitionEditor(props: CodeEditorProps) {
  return (
    <Suspense
      fallback={
        <pre className="wb-source" tabIndex={0}>
          {props.text}
        </pre>
      }
    >
      <CodeEditor {...props} />
    </Suspense>
  );
}

interface TranscriptPlayerProps {
  readonly transcripts: Readonly<Record<string, string>>;
  readonly isPlaying: boolean;
  readonly onPlay: (name: string) => void;
}

/** Plays a transcript of the tests: the messages of the person and the answers of the model. */
function TranscriptPlayer({ transcripts, isPlaying, onPlay }: TranscriptPlayerProps) {
  const names = Object.keys(transcripts);
  const [chosen, setChosen] = useState(names[0]!);
  const name = names.includes(chosen) ? chosen : names[0]!;
  return (
    <div className="wb-player">
      <select
        aria-label="Transcript"
        value={name}
        onChange={(event) => setChosen(event.target.value)}
      >
        {names.map((each) => (
          <option key={each} value={each}>
            {each.replaceAll('-', ' ')}
          </option>
        ))}
      </select>
      <button type="button" disabled={isPlaying} onClick={() => onPlay(name)}>
        {isPlaying ? 'Playing' : 'Play transcript'}
      </button>
    </div>
  );
}
