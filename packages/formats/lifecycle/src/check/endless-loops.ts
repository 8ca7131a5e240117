import { loopsOf, type Path } from '@dramaturg/compiler';
import type { Lifecycle, Row } from '../definition.ts';
import { endlessLoop } from '../diagnostics/rows.ts';
import { agentAvailable } from '../names.ts';
import { Table } from '../table.ts';
import type { LifecycleRule } from './rule.ts';

/**
 * Reports states that lead to each other endlessly without an event from outside: by rows that wait for nothing, by
 * raised events, or by calling an agent that is available at once. Every guard may hold or not: whether it would end a
 * loop is not known before it runs.
 */
export const endlessLoops: LifecycleRule = ({ definition, report }) => {
  const walk = new Walk(definition);
  const stepsFrom = (place: string) => walk.stepsFrom(place);
  const reported = new Set<string>();
  for (const group of loopsOf(walk.starts(), (place) => [...stepsFrom(place).keys()])) {
    const loop = wayAround(group, stepsFrom);
    const states = [...new Set(loop.map((place) => placeOf(place).state))];
    const key = JSON.stringify(states.toSorted());
    if (reported.has(key)) continue;
    reported.add(key);
    const rows = loop.map((place, index) => stepsFrom(place).get(loop[index + 1] ?? loop[0]!));
    const written = rows.filter((row) => row !== undefined);
    report(endlessLoop(states), written[0]!, { follows: written });
  }
};

/** The shortest way from the first place of a group back to it, by places of the group, which all lead to each other. */
function wayAround(group: readonly string[], stepsFrom: (place: string) => Steps): string[] {
  const start = group[0]!;
  const members = new Set(group);
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const place of queue) {
    for (const next of stepsFrom(place).keys()) {
      if (!members.has(next) || cameFrom.has(next)) continue;
      cameFrom.set(next, place);
      if (next !== start) queue.push(next);
    }
  }
  const way: string[] = [];
  for (let at = cameFrom.get(start)!; at !== start; at = cameFrom.get(at)!) way.push(at);
  return [start, ...way.toReversed()];
}

/** Where an instance is in the middle of a step: in a state, with events that it has raised and not yet handled. */
interface Place {
  readonly state: string;
  readonly raised: readonly string[];
}

/** The places that one place may lead on to by itself, each with the row that leads there; none for an event dropped. */
type Steps = ReadonlyMap<string, Path | undefined>;

const noSteps: Steps = new Map();

function keyOf({ state, raised }: Place): string {
  return JSON.stringify([state, ...raised]);
}

function placeOf(key: string): Place {
  const [state, ...raised] = JSON.parse(key) as [string, ...string[]];
  return { state, raised };
}

/** More raised events than this mean that rows raise more than they handle. */
const mostRaised = 16;

/** What a table of more places does is not followed to its end; the limit of steps at run time is still there. */
const mostPlaces = 50_000;

/** Every step that an instance may take by itself. */
class Walk {
  readonly #definition: Lifecycle;
  readonly #table: Table;
  readonly #steps = new Map<string, Steps>();
  /** The states whose entry calls an agent that is there at once. */
  readonly #calls: ReadonlySet<string>;
  /** The states that a pause may lead back to. */
  readonly #live: readonly string[];

  constructor(definition: Lifecycle) {
    const { states, policies } = definition;
    const isCalled = policies.pick_up === 'at_once';
    this.#definition = definition;
    this.#table = new Table(definition);
    this.#calls = new Set(
      states
        .filter(({ entry }) => isCalled && entry.some(({ word }) => word === 'call_agent'))
        .map(({ name }) => name),
    );
    this.#live = states
      .filter(({ kind, returns }) => kind !== 'terminal' && !returns)
      .map(({ name }) => name);
  }

  /** Every place in which something may go on by itself, once an event from outside has led there. */
  starts(): string[] {
    const { states, rows } = this.#definition;
    const names = states.map(({ name }) => name);
    const found = new Set(names.map((name) => keyOf(this.#entered(name, []))));
    for (const name of names) found.add(keyOf({ state: name, raised: [] }));
    for (const row of rows) {
      if (!row.raise || row.from.kind === 'nothing') continue;
      const starts = row.from.kind === 'any' ? names : row.from.states.map(({ name }) => name);
      // A row that leads to a state leads there from wherever it is taken.
      for (const start of row.to ? starts.slice(0, 1) : starts)
        for (const place of this.#after(row, start, [])) found.add(keyOf(place));
    }
    return [...found];
  }

  stepsFrom(key: string): Steps {
    const known = this.#steps.get(key);
    if (known) return known;
    const steps = this.#steps.size < mostPlaces ? this.#stepsOf(placeOf(key)) : noSteps;
    this.#steps.set(key, steps);
    return steps;
  }

  #stepsOf({ state, raised }: Place): Steps {
    if (this.#table.states.get(state)?.kind === 'terminal') return noSteps;
    const steps = new Map<string, Path | undefined>();
    const take = (row: Row, waiting: readonly string[]) => {
      for (const place of this.#after(row, state, waiting)) steps.set(keyOf(place), row.at);
    };
    // Raised events wait while the instance takes rows without events. Rows that stay in the state are judged by another
    // rule.
    for (const row of this.#table.rows(state, undefined))
      if (row.to || row.raise) take(row, raised);
    const [event, ...waiting] = raised;
    if (event === undefined) return steps;
    for (const row of this.#table.rows(state, event)) take(row, waiting);
    const dropped = keyOf({ state, raised: waiting });
    if (!steps.has(dropped)) steps.set(dropped, undefined);
    return steps;
  }

  /** Where a row leads. */
  #after({ to, raise }: Row, from: string, waiting: readonly string[]): Place[] {
    const raised = raise ? [...waiting, raise.event] : waiting;
    if (!to) return [{ state: from, raised: raised.slice(0, mostRaised) }];
    const targets = to.kind === 'previous' ? this.#live : [to.name];
    return targets.map((target) => this.#entered(target, raised));
  }

  #entered(state: string, waiting: readonly string[]): Place {
    const raised = this.#calls.has(state) ? [...waiting, agentAvailable] : waiting;
    // Beyond the limit the place is the same again, so that it is found to be a loop.
    return { state, raised: raised.slice(0, mostRaised) };
  }
}
