import { unlessErased } from '../errors.ts';
import type { DueTimer } from '../store/contract.ts';
import type { ActiveInstances } from './active-instances.ts';
import { checkpointPrefix, type Checkpoints } from './checkpoints.ts';

interface FiringParts {
  readonly activeInstances: ActiveInstances;
  readonly checkpoints: Checkpoints;
  readonly now: () => number;
}

/** Delivers a due timer to its instance, or forgets its save point. */
export async function fireTimer(
  { id, key }: DueTimer,
  { activeInstances, checkpoints, now }: FiringParts,
): Promise<void> {
  if (id.startsWith(checkpointPrefix)) return checkpoints.forget(id);
  const output = { firedAt: now() };
  await unlessErased(
    activeInstances.use(id, (runner) =>
      runner.step((instance) => instance.decideCall(key, { output }), 'answer'),
    ),
  );
}
