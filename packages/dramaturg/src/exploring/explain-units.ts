import type { Diagnostic, Path } from '@dramaturg/compiler';
import { type CoverageUnit, unitKey } from '@dramaturg/compiler/chart';

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
export interface UnreachedUnit extends CoverageUnit {
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
export function explainUnits(
  units: ReadonlyMap<string, CoverageUnit>,
  reached: { readonly search: ReadonlySet<string>; readonly tests: ReadonlySet<string> },
  {
    diagnostics,
    isComplete,
    isOutOfTime = false,
    refused = new Set(),
    refusal,
    stopsIn = new Map(),
  }: {
    readonly diagnostics: readonly Diagnostic[];
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
    if (isOfHost(unit)) return [{ ...unit, reason: onlyOnHosts }];
    const finding = diagnostics.find(
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

/** Whether the row of a lifecycle is for an event that a host sends after a crash, or about another conversation. */
function isOfHost({ kind, label }: CoverageUnit): boolean {
  const [, event = ''] = /: ([\w.]+)/.exec(label) ?? [];
  return kind !== 'state' && hostEvents.has(event);
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
