import { processorMs, type SearchBound, type SearchBounds } from './search.ts';
import type { Compiled, Path } from '@dramaturg/compiler';
import { type CoverageUnit, reachedKeys, unitKey } from '@dramaturg/compiler/chart';
import type { HostedDefinition } from '../host.ts';
import { flowOf, usualStart } from '../testing/stage-options.ts';
import { Coverage } from '../testing/coverage/coverage.ts';
import { runTest } from '../testing/run-test.ts';
import type { TestCase } from '../testing/test-file.ts';
import { type Explored, exploreDefinition, exploreLifecycle } from './explorer.ts';
import { type Finding, findingsOf } from './findings.ts';
import { inputMark } from './inputs-of.ts';
import { type Mutant, type MutateOptions, playTest } from './mutating/mutate.ts';
import { seedMistakes } from './mutating/seed-mistakes.ts';
import { endedWay, type ObservedWay, observeWay, restingWay } from './observe-way.ts';
import { rehearsalOf } from './rehearsal.ts';
import { type ChosenWay, selectWays, shortenWay } from './shorten-way.ts';

export interface ExploreOptions {
  readonly bounds: SearchBounds;
  /** Definitions that it calls as agents, by name. */
  readonly others?: Readonly<Record<string, HostedDefinition>>;
  readonly onProgress?: (steps: number, reached: number, total: number) => void;
  /** Seeds mistakes, and adds tests for those that no test finds. */
  readonly mutation?: Pick<MutateOptions, 'compile' | 'mutantsMax'>;
}

/** The units of a definition, and those that were not reached. */
export interface Reach {
  readonly units: ReadonlyMap<string, CoverageUnit>;
  readonly unreached: readonly UnreachedUnit[];
}

/** The units that count: all except those that no test can reach. */
export function countedUnits({ units, unreached }: Reach): ReadonlyMap<string, CoverageUnit> {
  const unreachable = new Set(
    unreached.flatMap((unit) => (unit.isUnreachable ? [unitKey(unit)] : [])),
  );
  return new Map([...units].filter(([key]) => !unreachable.has(key)));
}

export interface Exploration extends Reach {
  /** The reach of the lifecycle, if one was given for the definition. */
  readonly lifecycle?: Reach;
  readonly tests: readonly TestCase[];
  /** Moves that were tried. */
  readonly steps: number;
  /** The bound at which the search has ended; undefined when all was reached, or every move was tried from every distinct moment. */
  readonly endedAt?: SearchBound;
  /** Errors of our own that the search has met, with their number. */
  readonly failures: ReadonlyMap<string, number>;
  /** Faults that show when it runs. */
  readonly findings: readonly Finding[];
  /** The mistakes that were seeded. Tests that were added for them are among the tests. */
  readonly mutants?: readonly Mutant[];
}

/** Generates tests that reach every state, transition and condition of a definition, and explains what they do not reach. */
export async function explore(
  definition: HostedDefinition,
  { bounds, others = {}, onProgress, mutation }: ExploreOptions,
): Promise<Exploration> {
  const begun = processorMs();
  const lifecycle = 'lifecycle' in definition ? definition : undefined;
  const share = lifecycle ? 2 : 1;
  // The tests are shortened and run in the rest of the time.
  const options = {
    bounds: { steps: Math.ceil(bounds.steps / share), seconds: bounds.seconds / 2 / share },
    others,
    ...(onProgress ? { onProgress } : {}),
  };
  const flow = flowOf(definition);
  const own = partOf(flow, await exploreDefinition(definition, options));
  const rows =
    lifecycle &&
    partOf(
      lifecycle.lifecycle,
      await exploreLifecycle(lifecycle, own.explored.ways, {
        ...options,
        bounds: { ...options.bounds, steps: bounds.steps - own.explored.steps },
      }),
    );
  const parts = rows ? [rows, own] : [own];
  const rehearsal = rehearsalOf(definition, { others });
  const chosen = parts.flatMap(({ explored: { ways, units, inputs } }) =>
    selectWays(ways, [...units.keys(), ...inputs]),
  );
  const stage = { name: 'explored', definition, others, startAt: usualStart };
  const tests: TestCase[] = [];
  const names = testNames(chosen, new Map(parts.flatMap(({ explored }) => [...explored.units])));
  const until = begun + bounds.seconds * 1000;
  let isOutOfTime = false;
  for (const [index, way] of chosen.entries()) {
    if (tests.length > 0 && processorMs() > until) {
      isOutOfTime = true;
      break;
    }
    const observed = await observe(way, names[index]!);
    if (!observed) continue;
    for (const { coverage } of parts) await coverage.add(observed.record);
    tests.push(observed.test);
  }
  const reach = reachOf(own, isOutOfTime);
  const unreached = reach.unreached.flatMap(({ isUnreachable, reason, path }) =>
    isUnreachable || reason === onlyRefused ? [] : [path],
  );
  const mutated = mutation && (await seedMistakes(flow, tests, stage, { ...mutation, unreached }));
  const ended = parts.find(({ explored }) => explored.endedAt)?.explored.endedAt;
  return {
    ...reach,
    ...(rows ? { lifecycle: reachOf(rows, isOutOfTime) } : {}),
    tests: mutated ? [...tests, ...mutated.added] : tests,
    steps: parts.reduce((sum, { explored }) => sum + explored.steps, 0),
    ...(isOutOfTime ? { endedAt: 'seconds' as const } : ended ? { endedAt: ended } : {}),
    failures: new Map(parts.flatMap(({ explored }) => [...explored.failures])),
    findings: findingsOf(own.explored.observations, own.explored.units),
    ...(mutated ? { mutants: mutated.mutants } : {}),
  };

  async function observe(way: ChosenWay, name: string): Promise<ObservedWay | undefined> {
    const { explored } = way.isOfLifecycle && rows ? rows : own;
    const short = await shortenWay(way, explored, begun + bounds.seconds * 700);
    const whole = explored.rehearsal.outside.accepts
      ? await endedWay(short, explored.rehearsal)
      : short;
    for (const candidate of [whole, short, way]) {
      const resting = await restingWay(candidate, explored.rehearsal);
      if (!resting) continue;
      for (const detail of ['inputs', 'few'] as const) {
        const found = await observeWay(resting, name, stage, detail);
        if (found && (await isRepeatable(found.test))) return found;
      }
    }
    return undefined;
  }

  /** Whether a test passes again: random values in its data would make it fail. */
  async function isRepeatable(test: TestCase): Promise<boolean> {
    // Tried without a host first: that is faster, and random values differ. Nested definitions run on the stage only.
    if ((await playTest(rehearsal, test)) === undefined) return true;
    const { failures: unexpected } = await runTest({ test, name: test.name }, stage);
    return unexpected.length === 0;
  }
}

/** The definition, or its lifecycle, with what was found. */
interface Part {
  readonly compiled: Compiled;
  readonly explored: Explored;
  readonly coverage: Coverage;
}

function partOf(compiled: Compiled, explored: Explored): Part {
  return { compiled, explored, coverage: new Coverage(compiled.chart!) };
}

function reachOf({ compiled, explored, coverage }: Part, isOutOfTime: boolean): Reach {
  const { ways, endedAt, refusal, stopsIn } = explored;
  // The units of a lifecycle have other keys in ways.
  const keys = new Map([...explored.units].map(([key, unit]) => [unitKey(unit), key] as const));
  const units = new Map([...explored.units.values()].map((unit) => [unitKey(unit), unit] as const));
  const keysOf = (isMeant: (key: string) => boolean) =>
    new Set([...keys].flatMap(([unit, key]) => (isMeant(key) ? [unit] : [])));
  const hit = coverage.units.filter(({ hits }) => hits > 0);
  const unreached = explainUnits(
    units,
    {
      search: reachedKeys(
        [...explored.units].map(([key, unit]) => ({ ...unit, hits: Number(ways.has(key)) })),
      ),
      tests: new Set(hit.map(unitKey)),
    },
    {
      compiled,
      isAlone: explored.rehearsal.outside.accepts !== undefined,
      isComplete: endedAt === undefined,
      isOutOfTime,
      refused: keysOf((key) => ways.get(key)?.isRefused === true),
      ...(refusal === undefined ? {} : { refusal }),
      stopsIn,
    },
  );
  return { units, unreached };
}

const longest = 100;

/** A name for each test, in the words of the definition: the last thing that only this test reaches. */
function testNames(
  ways: readonly ChosenWay[],
  units: ReadonlyMap<string, CoverageUnit>,
): readonly string[] {
  const used = new Map<string, number>();
  return ways.map(({ reasons }) => {
    const own = reasons.flatMap((reason) => units.get(reason) ?? []);
    const unit =
      own.findLast(({ kind }) => kind === 'transition') ??
      own.findLast(({ kind }) => kind === 'condition' || kind === 'operand') ??
      own.at(-1);
    const input = reasons.find((reason) => reason.startsWith(inputMark));
    const name = unit ? nameOf(unit) : (input?.slice(inputMark.length, longest) ?? 'another way');
    const count = (used.get(name) ?? 0) + 1;
    used.set(name, count);
    return count === 1 ? name : `${name} (${count})`;
  });
}

function nameOf({ kind, holds, label }: CoverageUnit): string {
  const short = label.replaceAll(/\s+/g, ' ').slice(0, longest);
  if (kind === 'state') return `reaches ${short}`;
  return kind === 'transition' || holds === true ? short : `not ${short}`;
}

/** Findings of `check` that explain why a place is unreachable. Others there, such as a missing title, explain nothing. */
const explainingCodes: ReadonlySet<string> = new Set([
  'asl/contradictory-rule',
  'asl/dead-step',
  'asl/failing-intrinsic',
  'asl/no-progress',
  'asl/shadowed-rule',
  'asl/unavailable-data',
  'asl/unknown-error',
  'asl/unreachable-state',
  'asl/unset-path',
  'asl/unset-variable',
  'chart/dead-end',
  'chart/endless-loop',
  'chart/shadowed-transition',
  'chart/unreachable-state',
  'context-graph/decision-without-exit',
  'context-graph/unreachable',
  'lifecycle/endless-stay',
  'lifecycle/leaves-terminal-state',
  'lifecycle/no-event',
  'lifecycle/shadowed-row',
  'lifecycle/unheard-event',
  'npc/leaves-terminal-state',
  'npc/no-open-scenario',
  'npc/no-way-on',
  'npc/threshold-out-of-reach',
  'plan/bad-condition-field',
  'plan/collected-too-late',
  'plan/contradictory-condition',
  'plan/goal-condition-outside-goal-state',
  'plan/impossible-value',
  'plan/limit-never-reached',
  'plan/numeric-on-text',
  'plan/shadowed-transition',
  'plan/task-never-asked',
  'plan/undeclared-deliverable',
  'plan/undeclared-insight',
]);

/** A unit that no generated test reaches. */
interface UnreachedUnit extends CoverageUnit {
  /** Why, in a sentence for people. */
  readonly reason: string;
  /** The finding of `check` that explains it. */
  readonly code?: string;
  /** No test can reach it, as far as the search distinguishes moments. It does not count. */
  readonly isUnreachable?: true;
  /** The search has ended at its bound before it has tried everything. */
  readonly isUnknown?: true;
}

/**
 * Explains why units were not reached.
 *
 * @param reached the units that the search has reached
 * @param isComplete whether every move was tried, as far as the search distinguishes moments
 */
function explainUnits(
  units: ReadonlyMap<string, CoverageUnit>,
  reached: { readonly search: ReadonlySet<string>; readonly tests: ReadonlySet<string> },
  {
    compiled,
    isAlone,
    isComplete,
    isOutOfTime = false,
    refused = new Set(),
    refusal,
    stopsIn = new Map(),
  }: {
    readonly compiled: Compiled;
    /** Whether it is a lifecycle without a flow. */
    readonly isAlone: boolean;
    readonly isComplete: boolean;
    /** Whether the time ended before all ways became tests. */
    readonly isOutOfTime?: boolean;
    /** Units on ways that end with a refused event. */
    readonly refused?: ReadonlySet<string>;
    readonly refusal?: string | undefined;
    /** Why runs have stopped, by the key of the last state that they entered. */
    readonly stopsIn?: ReadonlyMap<string, string>;
  },
): readonly UnreachedUnit[] {
  const whyWithoutTest = (key: string) => {
    if (refused.has(key)) return onlyRefused;
    return isOutOfTime ? outOfTime : notExpressible;
  };
  return [...units].flatMap(([key, unit]): UnreachedUnit[] => {
    if (reached.tests.has(key)) return [];
    if (reached.search.has(key)) return [{ ...unit, reason: whyWithoutTest(key) }];
    if (refusal !== undefined) return [{ ...unit, reason: `No instance could begin: ${refusal}` }];
    const around = stateAround(
      unit.from ?? (unit.kind === 'state' ? unit.path.slice(0, -1) : unit.path),
      units,
    );
    if (around && !reached.search.has(unitKey(around)))
      return [{ ...unit, reason: `The state "${around.label}" is not reached.` }];
    if (isOfHost(unit, compiled, isAlone)) return [{ ...unit, reason: onlyOnHosts }];
    const finding = compiled.diagnostics.find(
      ({ code, path }) => explainingCodes.has(code) && isAt(unit.path, path),
    );
    if (finding) return [{ ...unit, reason: finding.message, code: finding.code }];
    const bound = isComplete
      ? ''
      : ' The search has ended at its bound: a higher one may reach it.';
    const stop = around && stopsIn.get(unitKey(around));
    const wasAsked = reached.search.has(unitKey({ kind: 'condition', path: unit.path }));
    const reason =
      unit.kind === 'transition' && stop !== undefined && !wasAsked
        ? stop
        : reasonFor(unit, reached.search);
    const alwaysHolds = isComplete && (reason === heldAlways || reason === operandHeldAlways);
    if (alwaysHolds) return [{ ...unit, reason: `${reason} ${everyMove}`, isUnreachable: true }];
    return [{ ...unit, reason: `${reason}${bound}`, ...(isComplete ? {} : { isUnknown: true }) }];
  });
}

/** Whether the row of a lifecycle is for what only a host knows: after a crash, or about another conversation. */
function isOfHost(
  { kind, label, path }: CoverageUnit,
  { chart }: Compiled,
  isAlone: boolean,
): boolean {
  const [, event = ''] = /: ([\w.]+)/.exec(label) ?? [];
  if (kind === 'state') return false;
  // A lifecycle that runs by itself accepts its events from anyone.
  if (hostEvents.has(event) && !isAlone) return true;
  const { always: creations = [] } = chart?.states?.['created'] ?? {};
  return creations.some(
    ({ guard, meta }) =>
      guard?.params?.['queued'] === true && String(meta?.origin) === String(path),
  );
}

const hostEvents: ReadonlySet<string> = new Set([
  'instance.recovered',
  'contact_has_active_instance',
  'prior_instance_terminal',
]);

const onlyOnHosts =
  'Only a host sends this event, after a crash or about another conversation with the contact: a test has neither.';
const heldAlways = 'Its condition held whenever it was asked.';
const operandHeldAlways = 'It held whenever it was asked.';
const everyMove = 'Every move was tried, so no test shows it false: it does not count.';
const notExpressible = 'The search reaches it, but a test file cannot express the way.';
const onlyRefused =
  'A test reaches it with an event that is refused, and coverage counts only what is accepted.';
const outOfTime =
  'The search reaches it, but the time has ended before its test was written: --seconds gives more.';

function reasonFor(
  { kind, path, holds, from }: CoverageUnit,
  reached: ReadonlySet<string>,
): string {
  if (from && reached.has(unitKey({ kind, path })))
    return 'It was taken from other states, and not from this one.';
  if (kind === 'operand') {
    if (!reached.has(unitKey({ kind, path, holds: !holds })))
      return 'It was never asked: the operands before it decide the condition.';
    return holds ? 'It never held when it was asked.' : operandHeldAlways;
  }
  if (kind === 'state') return 'No transition into it was taken.';
  if (kind === 'condition')
    return reached.has(unitKey({ kind: 'transition', path }))
      ? heldAlways
      : 'Its condition was never asked: other transitions come first.';
  return reached.has(unitKey({ kind: 'condition', path }))
    ? 'Its condition was asked and never held.'
    : 'It was never taken: other transitions come first, or its event does not come.';
}

/** The innermost state that contains a place. */
function stateAround(
  path: Path,
  units: ReadonlyMap<string, CoverageUnit>,
): CoverageUnit | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const state = units.get(unitKey({ kind: 'state', path: path.slice(0, length) }));
    if (state) return state;
  }
  return undefined;
}

/** Whether a finding is about a unit: at its place, or inside it. */
function isAt(unit: Path, finding: Path): boolean {
  return (
    unit.length > 0 &&
    unit.every((key, index) => finding[index] === key) &&
    finding.length <= unit.length + 2
  );
}
