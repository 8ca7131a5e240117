import * as z from 'zod/mini';
import { optional, atLeast0, number, pathOnly, text } from './field.ts';
import {
  agentBlocks,
  assign,
  common,
  filters,
  type ValueSource,
  type HasNext,
  output,
  type StateBase,
  transition,
} from './state.ts';
import type { StateDefinition } from './state-definition.ts';

/** Spec: Agent 2 §Wait State, Amazon #wait-state */
const wait = z.object({
  ...common,
  ...filters,
  ...output,
  ...assign,
  ...transition,
  ...agentBlocks,
  /** Agent 2 §Wait State, Amazon #wait-state */
  Seconds: optional(
    number('a whole number of seconds from 0 to 99,999,999', atLeast0),
    'How long.',
  ),
  /** Agent 2 §Wait State, Amazon #wait-state */
  SecondsPath: pathOnly(text, 'Where the number of seconds is.'),
  /** Agent 2 §Wait State, Amazon #wait-state */
  Timestamp: optional(text, 'Until when.'),
  /** Agent 2 §Wait State, Amazon #wait-state */
  TimestampPath: pathOnly(text, 'Where the timestamp is.'),
});

export interface Wait extends StateBase, HasNext {
  readonly Type: 'Wait';
  /** One of the two is there, or a rule reports it. */
  readonly Seconds: ValueSource<number> | undefined;
  readonly Timestamp: ValueSource<string> | undefined;
}

export const waitDefinition: StateDefinition<Wait> = {
  schema: wait,
};
