import { parseDuration } from '../data/timestamp.ts';

import type { Checkpoint } from '../definition/index.ts';
import { entering, type StateAction } from './progress.ts';

/** Says that what has come so far is worth keeping; the data go on as they are. Spec: Agent 2 §Checkpoint State */
export const checkpoint: StateAction = (scope, params) =>
  entering(scope, params, (state, progress) => {
    const { flow, state: definition } = state.program;
    const { Name: name, Storage: storage, TTL: ttl } = definition as Checkpoint;
    const now = state.world.now();
    const keptFor = ttl === undefined ? undefined : parseDuration(ttl);
    const record = {
      name,
      createdAt: new Date(now).toISOString(),
      ...(storage !== undefined && { storage }),
      ...(keptFor !== undefined && { expiresAt: new Date(now + keptFor).toISOString() }),
    };
    const effects = state.left(progress, flow.finish(state.run(progress), { checkpoint: record }));
    const saved = { type: 'checkpoint.saved', ...state.where(), ...record };
    return { ...effects, emit: [...(effects.emit ?? []), saved] };
  });
