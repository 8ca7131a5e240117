import type { Chart } from '@dramaturg/compiler';
import { chartsOf, originOf, unitKey, unitsOf } from '@dramaturg/compiler/chart';
import { type CountedUnit, coverageIn, CoverageList } from '@dramaturg/react';
import { useEffect, useMemo, useState } from 'react';
import type { InspectorEvent } from '../../../src/events.ts';
import type { RecordedActor } from '../../../src/recording.ts';
import { machineAround } from '../data/actor-names.ts';
import { isCompiled, nodesOf } from '../data/chart-nodes.ts';
import type { Connection } from '../data/connection.ts';
import { chartIn } from '../data/derive.ts';
import { loadParts } from '../data/load-run.ts';
import type { Actors, Playback } from '../data/playback.ts';
import type { View } from '../use-view.ts';

/** Shows how much of the shown chart the runs, or the tests of a report, reach. */
export function CoveragePanel({
  coverage,
  runs,
}: {
  readonly coverage: CoverageControls;
  /** The number of runs. */
  readonly runs: number;
}) {
  const { isOn, setOn, of, choose, report, open, units, problem, words } = coverage;
  if (!isOn)
    return (
      <div className="coverage-start">
        <p>Draws on the chart what runs or tests have reached, and lists the rest.</p>
        <button type="button" onClick={() => setOn(true)}>
          Show coverage
        </button>
      </div>
    );
  return (
    <div className="coverage">
      <div className="coverage-of">
        <select
          aria-label="Coverage of"
          value={of}
          onChange={({ target }) => choose(target.value as CoverageOf)}
        >
          <option value="run">This run</option>
          {runs > 1 && <option value="all">All {runs} runs</option>}
          {report && <option value="report">{report.name}</option>}
        </select>
        <label className="file">
          Open a report
          <input
            type="file"
            accept=".json,.info"
            onChange={({ target }) => {
              const [file] = target.files ?? [];
              if (file) void file.text().then((text) => open({ name: file.name, text }));
              // Allows opening the same file again.
              target.value = '';
            }}
          />
        </label>
      </div>
      {words !== '' && <p className="hint">{words}</p>}
      {problem !== undefined && <p role="alert">{problem}</p>}
      {units && (
        <CoverageList units={units} selected={coverage.selected} onSelect={coverage.select} />
      )}
    </div>
  );
}

/** The source of coverage: the shown run up to the shown step, all runs, or a report of tests. */
type CoverageOf = 'run' | 'all' | 'report';

interface Report {
  readonly name: string;
  readonly text: string;
}

/** The coverage of the shown chart. */
export interface CoverageControls {
  readonly isOn: boolean;
  readonly setOn: (isOn: boolean) => void;
  readonly of: CoverageOf;
  readonly choose: (of: CoverageOf) => void;
  readonly report: Report | undefined;
  readonly open: (report: Report) => void;
  /** Undefined if `problem` says why. */
  readonly units: readonly CountedUnit[] | undefined;
  readonly problem: string | undefined;
  /** A sentence about what was counted. */
  readonly words: string;
  readonly selected: CountedUnit | undefined;
  readonly select: (unit: CountedUnit) => void;
}

export function useCoverage(view: View, connection: Connection): CoverageControls {
  const [isOn, setOn] = useState(false);
  const [of, choose] = useState<CoverageOf>('run');
  const [report, setReport] = useState<Report>();
  const [selected, select] = useState<CountedUnit>();
  const actor = machineAround(view.actor, view.actors);
  const chart = chartIn(actor);
  const definition = actor?.definition;
  const isReport = of === 'report';
  const reached = useReached(view, connection, isOn && !isReport ? of : undefined);
  const found = useMemo(() => {
    if (!isOn || !chart || definition === undefined) return undefined;
    if (!isCompiled(chart) && !definition.includes('"origin":'))
      return { problem: 'This machine was not compiled from a definition.' };
    if (of !== 'report') return { units: countedUnits(chart, definition, reached.runs) };
    return report && coverageIn(report.text, chart, report.name);
  }, [isOn, chart, definition, of, report, reached.runs]);
  const units = found && 'units' in found ? found.units : undefined;
  const counted = reached.runs.filter((each) => each.has(definition ?? '')).length;
  return {
    isOn,
    setOn,
    of,
    choose,
    report,
    open: (file) => {
      setReport(file);
      choose('report');
      setOn(true);
    },
    units,
    problem: found && 'problem' in found ? found.problem : undefined,
    words: isReport ? '' : of === 'run' ? 'Up to the shown step.' : wordsFor(counted, reached),
    selected,
    select,
  };
}

function wordsFor(
  counted: number,
  { runs, waiting, failed }: ReturnType<typeof useReached>,
): string {
  if (waiting > 0) return `${waiting} of ${runs.length + failed + waiting} runs are loading …`;
  const lost = failed === 0 ? '' : ` Runs that could not be loaded, and do not count: ${failed}.`;
  if (counted === runs.length) return lost.trim();
  return `${counted} of ${runs.length} runs have this version of the chart; the others do not count.${lost}`;
}

/**
 * The states and transitions of a chart, with the number of runs that have reached each. Conditions are left out, because a run
 * does not record which of their operands it evaluates.
 *
 * @param definition the definition of the actor with the chart, as in `RecordedActor`
 */
function countedUnits(
  chart: Chart,
  definition: string,
  runs: readonly Reached[],
): readonly CountedUnit[] {
  return [...unitsOf(chart).values()]
    .filter(({ kind }) => kind === 'state' || kind === 'transition')
    .map((unit) => {
      const key = unitKey(unit);
      return { ...unit, hits: runs.filter((run) => run.get(definition)?.has(key)).length };
    });
}

/** Maximum number of runs that are counted, the most recently changed first. */
const mostRuns = 200;

/** The units that the shown run, or all runs, have reached. */
interface ReachedByRuns {
  readonly runs: readonly Reached[];
  /** Number of runs that are not loaded yet. */
  readonly waiting: number;
  /** Number of runs that could not be loaded. */
  readonly failed: number;
}

interface Loaded {
  /** Undefined when the run could not be loaded. */
  readonly reached: Reached | undefined;
  readonly updatedAt: number;
}

/** @param which the runs to count; none when left out */
function useReached(
  { count }: View,
  { playback, runs, run }: Connection,
  which: 'run' | 'all' | undefined,
): ReachedByRuns {
  const [loaded, setLoaded] = useState<ReadonlyMap<string, Loaded>>(new Map());
  const shown = useMemo(
    () => (which ? [reachedIn(playback, which === 'all' ? undefined : count)] : []),
    [which, playback, count],
  );
  const others = useMemo(
    () =>
      runs
        .filter(({ id }) => which === 'all' && id !== run)
        .toSorted((one, other) => other.updatedAt - one.updatedAt)
        .slice(0, mostRuns - 1),
    [which, runs, run],
  );
  const all = useMemo(
    () => [...shown, ...others.flatMap(({ id }) => loaded.get(id)?.reached ?? [])],
    [shown, others, loaded],
  );
  const waiting = others.filter(({ id }) => !loaded.has(id));
  // Growing runs are loaded again, after all others and one at a time.
  const next = waiting[0] ?? others.find((each) => loaded.get(each.id)!.updatedAt < each.updatedAt);
  useEffect(() => {
    if (!next) return undefined;
    const stop = new AbortController();
    const { id, updatedAt } = next;
    const keep = (reached: Reached | undefined) => {
      if (!stop.signal.aborted)
        setLoaded((before) => new Map(before).set(id, { reached, updatedAt }));
    };
    loadParts(id, stop.signal, (part) => reachedIn(part)).then(
      (parts) => keep(reachedByParts(parts)),
      () => keep(undefined),
    );
    return () => stop.abort();
    // A run that grows while it is loaded is first loaded to its end.
  }, [next?.id, loaded]);
  const failed = others.filter(({ id }) => loaded.has(id) && !loaded.get(id)!.reached).length;
  return { runs: all, waiting: waiting.length, failed };
}

/** The units that runs have reached, by their keys, for each definition of an actor. */
type Reached = ReadonlyMap<string, ReadonlySet<string>>;

/** The units that the first `count` events of a recording have reached. */
function reachedIn(playback: Playback, count = playback.events.length): Reached {
  const actors = new Map(playback.actorsAfter(0));
  const reached = new Map<string, Set<string>>();
  for (const actor of actors.values()) addNodes(reached, actor, actors, actor.snapshot.nodes ?? []);
  for (const event of playback.events.slice(0, count)) {
    if (event.type === '@xstate.actor') actors.set(event.sessionId, asActor(event));
    const actor = actors.get(event.sessionId);
    if (!actor) continue;
    if (event.type === '@xstate.snapshot')
      addNodes(reached, actor, actors, event.snapshot.nodes ?? []);
    if (event.type !== '@dramaturg.transition') continue;
    for (const { from, to, origin } of event.taken) {
      addNodes(reached, actor, actors, [from, ...to]);
      if (!origin) continue;
      const unit = { kind: 'transition', path: origin } as const;
      const source = stateAround(actor, from);
      add(reached, actor, actors, unitKey(unit));
      if (source) add(reached, actor, actors, unitKey({ ...unit, from: source }));
    }
  }
  return reached;
}

/** The units that a run has reached in all its parts. */
function reachedByParts(parts: readonly Reached[]): Reached {
  const all = new Map<string, Set<string>>();
  for (const part of parts)
    for (const [definition, units] of part)
      all.set(definition, new Set([...(all.get(definition) ?? []), ...units]));
  return all;
}

function asActor(event: Extract<InspectorEvent, { readonly type: '@xstate.actor' }>) {
  return { ...event, bornAt: 0, changedAt: 0 } satisfies RecordedActor;
}

/** The innermost authored state around a node. */
function stateAround(actor: RecordedActor, id: string) {
  const chart = chartIn(actor);
  let at = chart && nodesOf(chart).get(id);
  while (at && !originOf(at.node)) at = at.parent;
  return at && originOf(at.node);
}

/** Adds the states with these ids, and those around them. */
function addNodes(
  reached: Map<string, Set<string>>,
  actor: RecordedActor,
  actors: Actors,
  ids: readonly string[],
): void {
  const chart = chartIn(actor);
  if (!chart) return;
  const nodes = nodesOf(chart);
  for (const id of ids)
    for (let at = nodes.get(id); at; at = at.parent) {
      const path = originOf(at.node);
      if (path) add(reached, actor, actors, unitKey({ kind: 'state', path }));
    }
}

/** Adds a unit to the actor's definition, and to that of the machine that runs the actor for an item. */
function add(
  reached: Map<string, Set<string>>,
  actor: RecordedActor,
  actors: Actors,
  key: string,
): void {
  const chart = chartIn(actor);
  for (let at: RecordedActor | undefined = actor; at; at = actors.get(at.parentId ?? '')) {
    const around = chartIn(at);
    if (at.definition === undefined || !around || !chart) continue;
    if (!contains(around, chart)) return;
    const own = reached.get(at.definition) ?? new Set();
    reached.set(at.definition, own.add(key));
  }
}

function contains(chart: Chart, inner: Chart): boolean {
  return chart === inner || chartsOf(chart).some(({ id }) => id === inner.id);
}
