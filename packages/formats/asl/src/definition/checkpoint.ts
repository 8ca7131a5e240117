import * as z from 'zod/mini';
import { required, optional, text } from './field.ts';
import {
  agentBlocks,
  common,
  filters,
  type HasNext,
  resultPath,
  type StateBase,
  transition,
} from './state.ts';
import type { StateDefinition } from './state-definition.ts';

/** Spec: Agent 2 §Checkpoint State */
const checkpoint = z.object({
  ...common,
  ...filters,
  ...resultPath,
  ...transition,
  ...agentBlocks,
  /** Agent 2 §Checkpoint State */
  Name: required(text, 'The name of the save point.'),
  /** Agent 2 §Checkpoint State */
  Storage: optional(text, 'Where it is saved.'),
  /** Agent 2 §Checkpoint State */
  TTL: optional(text, 'How long it is kept, such as `7d`, or `never` for no expiry.'),
});

export interface Checkpoint extends StateBase, HasNext {
  readonly Type: 'Checkpoint';
  readonly Name: string;
  readonly Storage: string | undefined;
  /** As authored, `7d`; undefined never expires. */
  readonly TTL: string | undefined;
  /** Where the record of the save point goes; null, the default, outputs the input unchanged. */
  readonly ResultPath: string | null;
}

export const checkpointDefinition: StateDefinition<Checkpoint> = {
  schema: checkpoint,
  isAgentOnly: true,
  durations: ['TTL'],
  unenforcedFields: { Storage: 'a save point is kept in the store of the host' },
};
