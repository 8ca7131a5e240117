import { allTasksComplete } from './all-tasks-complete.ts';
import { allOf, anyOf, type Composite, compound } from './composite.ts';
import { deliverableExists } from './deliverable-exists.ts';
import { deliverableValueIn } from './deliverable-value-in.ts';
import { deliverableValueNumeric } from './deliverable-value-numeric.ts';
import { deliverableValue } from './deliverable-value.ts';
import type { ConditionKind, ConditionPaths, ConditionSpelling } from './kind.ts';
import { goalAchieved } from './goal-achieved.ts';
import { taskFailed } from './task-failed.ts';
import { turnCountExceeded } from './turn-count-exceeded.ts';

/** Every type of condition, in the order in which diagnostics list them. Spec: docs/formats/plan.md#conditions */
const rows = [
  allTasksComplete,
  deliverableValue,
  deliverableExists,
  deliverableValueIn,
  deliverableValueNumeric,
  turnCountExceeded,
  goalAchieved,
  taskFailed,
  allOf,
  anyOf,
] as const;

const spellings: readonly ConditionSpelling[] = [compound];

type Row = (typeof rows)[number];
type ConditionOf<Kind> =
  Kind extends ConditionKind<infer Type, infer Terms>
    ? Terms extends Composite
      ? CompositeCondition<Type>
      : { readonly type: Type } & Terms
    : never;

/** An interface, because the alias `Condition` cannot refer to itself in a conditional type. */
interface CompositeCondition<Type> {
  readonly type: Type;
  readonly conditions: readonly Condition[];
}

/** A condition of a transition, in one spelling, and where it was written. */
export type Condition = ConditionOf<Row> & { readonly paths?: ConditionPaths };
export type ConditionType = Row['type'];

// Each kind has terms of its own. `kindOf` passes a kind only conditions of its type.
export const conditionKinds = rows as unknown as readonly ConditionKind<ConditionType, Condition>[];

const byType = new Map(conditionKinds.map((kind) => [kind.type, kind]));

/** The row of a condition's type. */
export function kindOf({ type }: Condition): ConditionKind<ConditionType, Condition> {
  return byType.get(type)!;
}

/** The types that authors can write, and how each is read. */
export const authoredTypes: ReadonlyMap<string, ConditionKind | ConditionSpelling> = new Map(
  [...(rows as readonly unknown[] as readonly ConditionKind[]), ...spellings].map((kind) => [
    kind.type,
    kind,
  ]),
);
