import type { Json } from '@dramaturg/compiler';
import type { Problem } from '@dramaturg/compiler/format';
import type { Digressions } from '../context.ts';
import type { ConditionFields, InnerCondition } from './fields.ts';

/**
 * A type of condition: how it is read, worded, checked and evaluated. Reader, rules, lowering and guards know no type by name and
 * use its row of the table. `Terms` are its fields in one spelling, which are also the parameters of its guard.
 */
export interface ConditionKind<Type extends string = string, Terms = unknown> {
  readonly type: Type;
  /** Wrong names that authors use for it. */
  readonly otherNames?: readonly string[];
  /** Reads `condition_config`. Reports what is wrong and returns undefined when it cannot be used. */
  readonly read: (fields: ConditionFields) => Terms | undefined;
  /** As people say it: `issue_type = billing`. */
  readonly inWords: (terms: Terms, inWords: (inner: InnerCondition) => string) => string;
  /** Whether it holds. It becomes the guard of the same name. */
  readonly holds: (
    terms: Terms,
    conversation: ConversationFacts,
    holds: (inner: InnerCondition, index: number) => boolean,
  ) => boolean;
  /** Whether it holds in every conversation. */
  readonly alwaysHolds?: (terms: Terms) => boolean;
  /** The values it expects, for rules that compare them with declarations and with other conditions. */
  readonly values?: (terms: Terms) => readonly Json[];
  /** The condition with its values in the type that the deliverable declares. */
  readonly withTypedValues?: (terms: Terms, typed: (value: Json) => Json) => TypedTerms;
  /** Whether it holds for a value of its deliverable. Without it the rules assume nothing. */
  readonly admits?: (terms: Terms, value: Json) => boolean;
  /** It holds for every value of its deliverable. */
  readonly admitsAnyValue?: boolean;
  /** It compares its deliverable as a number. */
  readonly isNumeric?: boolean;
  /** The numbers it admits; undefined when they are not one range. */
  readonly range?: (terms: Terms) => NumberRange | undefined;
  /** The numbers at which its answer changes. */
  readonly limits?: (terms: Terms) => readonly number[];
  /** Says that it means another type, or makes no sense, in a state of the wrong type. */
  readonly inState?: (state: { readonly isGoalState: boolean }) => StateMismatch | undefined;
}

/** A type that is only another spelling: it is read as a condition of another type. */
export interface ConditionSpelling {
  readonly type: string;
  readonly otherNames?: readonly string[];
  readonly read: (fields: ConditionFields) => TypedTerms | undefined;
}

/** Terms with their type, which may differ from the type of the original condition. */
export interface TypedTerms extends InnerCondition {
  readonly [field: string]: unknown;
}

export interface StateMismatch {
  readonly problem: Problem;
  /** The type that it is read as. */
  readonly readAs?: InnerCondition;
  /** The fields of the state that decide this. */
  readonly follows?: readonly string[];
}

/** The facts about the conversation that a condition can read. */
export interface ConversationFacts {
  /** The value of a deliverable; undefined before it is known. */
  readonly valueOf: (key: string) => Json | undefined;
  /** Whether a deliverable has one of the values. Compares as its declared type does. */
  readonly hasValue: (key: string, values: readonly Json[]) => boolean;
  readonly isInGoalState: () => boolean;
  /** Every task of the current state is done. */
  readonly isComplete: () => boolean;
  readonly isGoalAchieved: () => boolean;
  /** The agent of the task has failed; without an id, of any task of the state. */
  readonly hasFailed: (task?: string) => boolean;
  /** Turns in the current state. */
  readonly turns: number;
  /** Turns in the current state since the last new value. */
  readonly idleTurns: number;
  /** Those of `turns` and of `idleTurns` in which the person has asked something instead of an answer. */
  readonly digressions: Digressions;
}

/** The numbers between two limits. */
export interface NumberRange {
  readonly from: number;
  readonly to: number;
  readonly withFrom: boolean;
  readonly withTo: boolean;
}
