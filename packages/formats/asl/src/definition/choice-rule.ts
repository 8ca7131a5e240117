import type { Json, JsonObject, Path } from '@dramaturg/compiler';
import * as z from 'zod/mini';
import {
  optional,
  described,
  agentOnly,
  block,
  chosenBy,
  flag,
  jsonataOnly,
  pathOnly,
  text,
} from './field.ts';

const numeric = z.number();
const relations = ['Equals', 'LessThan', 'GreaterThan', 'LessThanEquals', 'GreaterThanEquals'];

function family(name: string, operand: z.ZodMiniType): [string, z.ZodMiniType][] {
  const order = name === 'Boolean' ? ['Equals'] : relations;
  return order.flatMap((relation): [string, z.ZodMiniType][] => [
    [`${name}${relation}`, operand],
    [`${name}${relation}Path`, text],
  ]);
}

/** Every comparison and the schema of its operand. Agent 2 §Comparison Operators, Amazon #choice-state */
export const comparisons: Readonly<Record<string, z.ZodMiniType>> = Object.fromEntries([
  ...family('String', text),
  ['StringMatches', text],
  ...family('Numeric', numeric),
  ...family('Boolean', flag),
  ...family('Timestamp', text),
  ...['IsNull', 'IsPresent', 'IsNumeric', 'IsString', 'IsBoolean', 'IsTimestamp'].map(
    (test): [string, z.ZodMiniType] => [test, flag],
  ),
]);

export const connectives: readonly string[] = ['And', 'Or', 'Not'];

const comparison = Object.fromEntries(
  Object.entries(comparisons).map(([operator, operand]) => [
    operator,
    pathOnly(
      operand,
      operator.endsWith('Path')
        ? `Where the operand of \`${operator.slice(0, -4)}\` is.`
        : `Compares the value of \`Variable\`: ${operator}.`,
    ),
  ]),
);

/** A condition within `And`, `Or` or `Not`: no `Next`. A function, because conditions nest. */
const nested = chosenBy(() => condition, { name: 'Condition', list: () => [{ shape: condition }] });

/** Agent 2 §Choice Rules, Amazon #choice-state */
export const condition: z.ZodMiniObject = z.object({
  Comment: optional(text, 'What people should know.'),
  ...comparison,
  /** Agent 2 §Choice Rules, Amazon #choice-state */
  Variable: pathOnly(text, 'The value to compare.'),
  /** Agent 7 and 8 by example */
  'Variable.$': agentOnly(text, 'The value to compare, by an intrinsic function.'),
  /** Agent 2 §Compound Operators, Amazon #choice-state */
  And: pathOnly(z.array(nested), 'All hold.'),
  /** Agent 2 §Compound Operators, Amazon #choice-state */
  Or: pathOnly(z.array(nested), 'Any holds.'),
  /** Agent 2 §Compound Operators, Amazon #choice-state */
  Not: pathOnly(nested, 'It does not hold.'),
});

/** Spec: Agent 2 §Choice Rules, Amazon #choice-state */
export const choiceRule: z.ZodMiniObject = z.extend(condition, {
  /** Agent 2 §Choice Rules, Amazon #choice-state */
  Next: described(text, 'Where the rule leads.'),
  /** Amazon #choice-state */
  Condition: jsonataOnly(z.union([text, flag]), 'Holds when it is true.'),
  /** Amazon #variables */
  Assign: optional(block, 'Variables to set, for states that come later.'),
  /** Amazon #choice-state */
  Output: jsonataOnly(z.unknown(), 'The output that goes to `Next`.'),
});

export type Condition =
  | {
      readonly operator: 'And' | 'Or';
      readonly conditions: readonly Condition[];
      readonly at: Path;
    }
  | { readonly operator: 'Not'; readonly condition: Condition; readonly at: Path }
  | {
      /** Such as `StringEquals`. If the name ends in `Path`, the operand is a path. */
      readonly operator: string;
      /** A path, or in agents' workflows an intrinsic function. */
      readonly Variable: string;
      readonly operand: Json;
      readonly at: Path;
    }
  | { readonly operator: 'Condition'; readonly expression: string | boolean; readonly at: Path };

export interface ChoiceRule {
  /** Undefined when it is malformed, which rules report. */
  readonly condition: Condition | undefined;
  readonly Next: string;
  readonly Output: Json | undefined;
  readonly Assign: JsonObject | undefined;
  readonly at: Path;
  readonly authored: Readonly<Record<string, unknown>>;
}
