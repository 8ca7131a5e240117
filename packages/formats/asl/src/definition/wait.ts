import * as z from 'zod';
import { number, pathOnly, text, isWhole } from './field.ts';
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
  /** How long. Agent 2 §Wait State, Amazon #wait-state */
  Seconds: number('a whole number of seconds from 0 to 99,999,999', (value) =>
    isWhole(value, 0),
  ).optional(),
  /** Where the number of seconds is. Agent 2 §Wait State, Amazon #wait-state */
  SecondsPath: pathOnly(text),
  /** Until when. Agent 2 §Wait State, Amazon #wait-state */
  Timestamp: text.optional(),
  /** Where the timestamp is. Agent 2 §Wait State, Amazon #wait-state */
  TimestampPath: pathOnly(text),
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
