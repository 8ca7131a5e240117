import * as z from 'zod/mini';
import { optional, agentOnly, pathOnly, text } from './field.ts';
import { agentBlocks, common, type ValueSource, type StateBase } from './state.ts';
import type { StateDefinition } from './state-definition.ts';

/** Spec: Agent 2 §Fail State, Amazon #fail-state */
const fail = z.object({
  ...common,
  ...agentBlocks,
  /** Agent 2 §Fail State, Amazon #fail-state */
  Error: optional(text, "The error's name."),
  /** Amazon #fail-state */
  ErrorPath: pathOnly(text, 'Where the name is.'),
  /** Agent 2 §Fail State, Amazon #fail-state */
  Cause: optional(text, 'What people should know.'),
  /** Amazon #fail-state */
  CausePath: pathOnly(text, 'Where the text is.'),
  /** Agent 8 by example */
  'Error.$': agentOnly(text, '`ErrorPath` in Agent State Language.'),
  /** Agent 8 by example */
  'Cause.$': agentOnly(text, '`CausePath` in Agent State Language.'),
});

export interface Fail extends StateBase {
  readonly Type: 'Fail';
  readonly Error: ValueSource<string> | undefined;
  readonly Cause: ValueSource<string> | undefined;
}

export const failDefinition: StateDefinition<Fail> = {
  schema: fail,
};
