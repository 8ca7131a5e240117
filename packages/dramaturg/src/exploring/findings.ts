import type { Path } from '@dramaturg/compiler';
import { type CoverageUnit, unitKey } from '@dramaturg/compiler/chart';
import type { TestStep } from '../testing/test-file.ts';
import { stepsOf, type Way } from './player.ts';

/** An observation of a search, before it is put into words. */
export interface Observation {
  readonly kind: 'no-end' | 'no-choice' | 'no-progress' | 'undecidable';
  readonly way: Way;
  /** For `undecidable`: why the decisions were refused. */
  readonly because?: string;
}

/** A fault of a definition that shows when it runs, with an example. */
export interface Finding {
  readonly code: `explore/${Observation['kind']}`;
  readonly message: string;
  readonly hint: string;
  readonly path: Path;
  /** The input of the instance, and the steps that lead there. */
  readonly example: { readonly input: unknown; readonly steps: readonly TestStep[] };
}

/** Words observations for authors: one finding for each kind and state. */
export function findingsOf(
  observations: readonly Observation[],
  units: ReadonlyMap<string, CoverageUnit>,
): readonly Finding[] {
  const found = new Map<string, Finding>();
  for (const { kind, way, because } of observations) {
    const state = lastState(way, units);
    const name = state ? `The state "${state.label}"` : 'The definition';
    const key = `${kind} ${name}`;
    const steps = stepsOf(way.moves);
    if (found.has(key) || !steps) continue;
    const { input } = way.beginning;
    found.set(key, {
      ...words[kind](name, because),
      code: `explore/${kind}`,
      path: state?.path ?? [],
      example: { input, steps },
    });
  }
  return [...found.values()];
}

type Words = (name: string, because?: string) => Pick<Finding, 'message' | 'hint'>;

const words: Readonly<Record<Observation['kind'], Words>> = {
  'no-end': (name) => ({
    message: `${name} can be reached so that no message, answer, decision or time leads to an end any more.`,
    hint: 'Add a transition that holds after the steps of the example.',
  }),
  'no-choice': (name) => ({
    message: `${name} has no rule for a value that can come, and no "Default": the run fails.`,
    hint: 'Add a "Default", or a rule for the value of the example.',
  }),
  'no-progress': (name) => ({
    message: `${name} can be reached so that the run goes round without an end: it enters states until their limit, and neither waits nor asks.`,
    hint: 'Change in the loop what is compared, or lead out of it.',
  }),
  undecidable: (name, because = '') => ({
    message: `${name} asks for a decision that nobody may make: ${because}`,
    hint: 'Look at who may decide, and at who is excluded.',
  }),
};

/** The last state of the definition that the way has entered. */
function lastState(
  { units: reached }: Way,
  units: ReadonlyMap<string, CoverageUnit>,
): CoverageUnit | undefined {
  const keys = new Set(
    [...units.values()].flatMap((unit) => (unit.kind === 'state' ? [unitKey(unit)] : [])),
  );
  const last = [...reached].findLast((key) => keys.has(key));
  return last === undefined ? undefined : units.get(last);
}
