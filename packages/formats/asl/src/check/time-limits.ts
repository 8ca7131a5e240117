import { authoredPart, fieldsAt, type Part, targetsOf } from '../authored.ts';
import { isDuration } from '../data/timestamp.ts';
import { hasHole } from '../definition/field.ts';
import type { Machine, State, Workflow } from '../definition/machine.ts';
import { badDuration, tooLittleTime } from '../diagnostics/blocks.ts';
import { definitionOf } from '../kinds.ts';
import { statesOf } from '../walk.ts';
import type { WorkflowRule } from './rule.ts';

/** The shortest way to a state, and the seconds of the Waits on it. */
interface Arrival {
  readonly state: State;
  readonly seconds: number;
  readonly from?: Arrival;
}

/**
 * Reports time limits that every run exceeds, because the Waits on every way to a successful end take longer. A budget is
 * checked when an agent is called, a timeout always. Spec: Amazon #toplevelfields, Agent 7 §Budget
 */
export const timeLimits: WorkflowRule = ({ definition, report }) => {
  const { TimeoutSeconds: timeout, Budget: budget, isTemplate, at } = definition;
  if (isTemplate) return;
  if (timeout !== undefined) {
    const example = exampleOver(definition, timeout, () => true);
    const { value: fields } = authoredPart(definition);
    const words = `TimeoutSeconds (${String(fields['TimeoutSeconds'])})`;
    if (example)
      report(tooLittleTime(words, inWords(example), wayTo(example)), [...at, 'TimeoutSeconds']);
  }
  const { MaxDuration: most, OnExceed: onExceed } = budget ?? {};
  if (most === undefined || onExceed !== 'Fail') return;
  const example = exampleOver(definition, most / 1000, ({ Type: type }) => type === 'Task');
  const words = `MaxDuration (${most / 1000} seconds)`;
  if (example)
    report(tooLittleTime(words, inWords(example), wayTo(example)), [
      ...at,
      'Budget',
      'MaxDuration',
    ]);
};

/**
 * The shortest way to a successful end, if there is one and no way keeps to the limit.
 *
 * @param isLimited whether a state fails when it is entered after the limit
 */
function exampleOver(
  machine: Machine,
  limit: number,
  isLimited: (state: State) => boolean,
): Arrival | undefined {
  const longest = machine.States.reduce((sum, state) => sum + secondsOf(state), 0);
  if (longest <= limit) return undefined;
  const isLate = ({ state, seconds }: Arrival) => seconds > limit && isLimited(state);
  if (earliestEnd(machine, isLate)) return undefined;
  return earliestEnd(machine, () => false);
}

/** The successful end that is reached first, without refused arrivals. Dijkstra's algorithm. */
function earliestEnd(
  { States: states, StartAt: start }: Machine,
  isRefused: (arrival: Arrival) => boolean,
): Arrival | undefined {
  const byName = new Map(states.map((state) => [state.name, state]));
  const first = byName.get(start);
  const open: Arrival[] = first ? [{ state: first, seconds: 0 }] : [];
  const done = new Set<State>();
  while (open.length > 0) {
    const least = open.reduce((one, other) => (other.seconds < one.seconds ? other : one));
    open.splice(open.indexOf(least), 1);
    const { state, seconds } = least;
    if (done.has(state) || isRefused(least)) continue;
    done.add(state);
    const after = seconds + secondsOf(state);
    if (isEnd(state)) {
      const end = { ...least, seconds: after };
      if (!isRefused(end)) return end;
      continue;
    }
    for (const { target } of targetsOf(state)) {
      const next = byName.get(target);
      if (next && !done.has(next)) open.push({ state: next, seconds: after, from: least });
    }
  }
  return undefined;
}

/** A wait for a fixed time. All other states may take no time. */
function secondsOf(state: State): number {
  const { Type: type, authored } = state;
  const { Seconds: seconds } = authored;
  return type === 'Wait' && typeof seconds === 'number' && seconds > 0 ? seconds : 0;
}

function isEnd({ Type: type, authored }: State): boolean {
  return type === 'Succeed' || authored['End'] === true;
}

function wayTo(arrival: Arrival): readonly string[] {
  const names: string[] = [];
  for (let at: Arrival | undefined = arrival; at; at = at.from) names.unshift(at.state.name);
  return names.length > waysMax ? [...names.slice(0, waysMax - 1), '…', names.at(-1)!] : names;
}

const waysMax = 6;

function inWords({ seconds }: Arrival): string {
  return `${seconds} seconds`;
}

/** Reports durations that cannot be read. A time to live may be `never`. Spec: Agent 2 §Checkpoint State, Agent 6 */
export const malformedDurations: WorkflowRule = ({ definition, report }) => {
  for (const { owner, field } of durationsOf(definition)) {
    const text = owner.value[field];
    if (typeof text !== 'string' || isDuration(text)) continue;
    const mayBeNever = field.endsWith('TTL');
    if ((mayBeNever && text === 'never') || (definition.isTemplate && hasHole(text))) continue;
    report(badDuration(text, mayBeNever), [...owner.at, field]);
  }
};

/** Durations in the blocks of workflows and of states of any type. */
const durationsInBlocks = [
  'Budget.MaxDuration',
  'Budget.ThrottleDelay',
  'CircuitBreaker.Timeout',
  'Tools.Timeout',
  'DefaultTools.Timeout',
  'Memory.DefaultTTL',
  'Memory.Write.TTL',
  'Memory.Write.[].TTL',
  'Cache.TTL',
];

function* durationsOf(workflow: Workflow): Generator<{ owner: Part; field: string }> {
  for (const path of durationsInBlocks) yield* fieldsAt(authoredPart(workflow), path);
  for (const state of statesOf(workflow)) {
    const { durations = [] } = definitionOf(state.Type);
    for (const path of [...durationsInBlocks, ...durations]) {
      yield* fieldsAt(authoredPart(state), path);
    }
  }
}
