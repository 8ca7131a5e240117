import * as z from 'zod';
import { agentOnly, pathOnly, text } from './field.ts';
import { agentBlocks, common, type ValueSource, type StateBase } from './state.ts';
import type { StateDefinition } from './state-definition.ts';

/** Spec: Agent 2 §Fail State, Amazon #fail-state */
const fail = z.object({
  ...common,
  ...agentBlocks,
  /** The error's name. Agent 2 §Fail State, Amazon #fail-state */
  Error: text.optional(),
  /** Where the name is. Amazon #fail-state */
  ErrorPath: pathOnly(text),
  /** What people should know. Agent 2 §Fail State, Amazon #fail-state */
  Cause: text.optional(),
  /** Where the text is. Amazon #fail-state */
  CausePath: pathOnly(text),
  /** `ErrorPath` in Agent State Language. Agent 8 by example */
  'Error.$': agentOnly(text),
  /** `CausePath` in Agent State Language. Agent 8 by example */
  'Cause.$': agentOnly(text),
});

export interface Fail extends StateBase {
  readonly Type: 'Fail';
  readonly Error: ValueSource<string> | undefined;
  readonly Cause: ValueSource<string> | undefined;
}

export const failDefinition: StateDefinition<Fail> = {
  schema: fail,
};
