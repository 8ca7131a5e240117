import type { Path } from '@dramaturg/compiler';
import { loopsOf } from '@dramaturg/compiler/chart';
import { quotedChain } from '@dramaturg/compiler/text';
import type { Lifecycle, Row, LifecycleRule } from '../definition.ts';
import { agentAvailable } from '../names.ts';
import { error } from '../problems.ts';
import { Table } from '../table.ts';

const endlessLoop = error('endless-loop', (way: readonly string[]) => ({
  message: `These states can lead to each other endlessly without waiting for an event: ${quotedChain([...way, way[0]!])}.`,
  hint: 'Add an event from outside to one of the rows.',
}));

/**
 * Reports states that lead to each other endlessly without an event from outside: by rows without an event, by raised events, or
 * by calling an agent that is available immediately. Guards are ignored, because only at run time is it known whether a guard
 * ends a loop.
 */
export const endlessLoops: LifecycleRule = ({ definition, report }) => {
  const walk = new Walk(definition);
  const stepsFrom = (position: string) => walk.stepsFrom(position);
  const reported = new Set<string>();
  for (const group of loopsOf(walk.starts(), (position) => [...stepsFrom(position).keys()])) {
    const loop = pathAround(group, stepsFrom);
    const states = [...new Set(loop.map((position) => positionOf(position).state))];
    const key = JSON.stringify(states.toSorted());
    if (reported.has(key)) continue;
    reported.add(key);
    const rows = loop.map((position, index) =>
      stepsFrom(position).get(loop[index + 1] ?? loop[0]!),
    );
    const written = rows.filter((row) => row !== undefined);
    report(endlessLoop(states), written[0]!, { follows: written });
  }
};

/** The shortest path from the first position of a group back to it. The positions of a group all lead to each other. */
function pathAround(group: readonly string[], stepsFrom: (position: string) => Steps): string[] {
  const start = group[0]!;
  const members = new Set(group);
  const cameFrom = new Map<string, string>();
  const queue = [start];
  for (const position of queue) {
    for (const next of stepsFrom(position).keys()) {
      if (!members.has(next) || cameFrom.has(next)) continue;
      cameFrom.set(next, position);
      if (next !== start) queue.push(next);
    }
  }
  const path: string[] = [];
  for (let at = cameFrom.get(start)!; at !== start; at = cameFrom.get(at)!) path.push(at);
  return [start, ...path.toReversed()];
}

/** The position of an instance in the middle of a step: its state, and the events that it has raised and not yet handled. */
interface Position {
  readonly state: string;
  readonly raised: readonly string[];
}

/** The next positions without an outside event, each with its row; a dropped event has no row. */
type Steps = ReadonlyMap<string, Path | undefined>;

const noSteps: Steps = new Map();

function keyOf({ state, raised }: Position): string {
  return JSON.stringify([state, ...raised]);
}

function positionOf(key: string): Position {
  const [state, ...raised] = JSON.parse(key) as [string, ...string[]];
  return { state, raised };
}

/** With more raised events than this, rows raise more than they handle. */
const mostRaised = 16;

/** The most positions searched. The limit of steps at run time catches the loops of larger tables. */
const mostPositions = 50_000;

/** Every step that an instance may take without an outside event. */
class Walk {
  readonly #definition: Lifecycle;
  readonly #table: Table;
  readonly #steps = new Map<string, Steps>();
  /** The states whose entry calls an agent that is available immediately. */
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

  /** Every position right after an outside event. */
  starts(): string[] {
    const { states, rows } = this.#definition;
    const names = states.map(({ name }) => name);
    const found = new Set(names.map((name) => keyOf(this.#entered(name, []))));
    for (const name of names) found.add(keyOf({ state: name, raised: [] }));
    for (const row of rows) {
      if (!row.raise || row.from.kind === 'nothing') continue;
      const starts = row.from.kind === 'any' ? names : row.from.states.map(({ name }) => name);
      // A row with a target leads to it from every state, so one start is enough.
      for (const start of row.to ? starts.slice(0, 1) : starts)
        for (const position of this.#after(row, start, [])) found.add(keyOf(position));
    }
    return [...found];
  }

  stepsFrom(key: string): Steps {
    const known = this.#steps.get(key);
    if (known) return known;
    const steps = this.#steps.size < mostPositions ? this.#stepsOf(positionOf(key)) : noSteps;
    this.#steps.set(key, steps);
    return steps;
  }

  #stepsOf({ state, raised }: Position): Steps {
    if (this.#table.states.get(state)?.kind === 'terminal') return noSteps;
    const steps = new Map<string, Path | undefined>();
    const take = (row: Row, waiting: readonly string[]) => {
      for (const position of this.#after(row, state, waiting)) steps.set(keyOf(position), row.at);
    };
    // Raised events wait while the instance takes rows without events. `endlessStays` reports rows that stay.
    for (const row of this.#table.rows(state, undefined))
      if (row.to || row.raise) take(row, raised);
    const [event, ...waiting] = raised;
    if (event === undefined) return steps;
    for (const row of this.#table.rows(state, event)) take(row, waiting);
    const dropped = keyOf({ state, raised: waiting });
    if (!steps.has(dropped)) steps.set(dropped, undefined);
    return steps;
  }

  /** The positions after a row. */
  #after({ to, raise }: Row, from: string, waiting: readonly string[]): Position[] {
    const raised = raise ? [...waiting, raise.event] : waiting;
    if (!to) return [{ state: from, raised: raised.slice(0, mostRaised) }];
    const targets = to.kind === 'previous' ? this.#live : [to.name];
    return targets.map((target) => this.#entered(target, raised));
  }

  #entered(state: string, waiting: readonly string[]): Position {
    const raised = this.#calls.has(state) ? [...waiting, agentAvailable] : waiting;
    // Beyond the limit the position repeats, so it counts as a loop.
    return { state, raised: raised.slice(0, mostRaised) };
  }
}
