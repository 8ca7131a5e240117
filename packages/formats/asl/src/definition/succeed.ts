import * as z from 'zod/mini';
import { agentBlocks, common, filters, output, type StateBase } from './state.ts';
import type { StateDefinition } from './state-definition.ts';

/** Spec: Agent 2 §Succeed State, Amazon #succeed-state */
const succeed = z.object({ ...common, ...filters, ...output, ...agentBlocks });

export interface Succeed extends StateBase {
  readonly Type: 'Succeed';
}

export const succeedDefinition: StateDefinition<Succeed> = { schema: succeed };
