import type { Port } from '@dramaturg/compiler';
import { type Checkpoints, stateOf } from '@dramaturg/host/engine';
import type { RestateStore } from './reading/restate-store.ts';
import { untilReached } from './restate/reaching.ts';

/** The port that saves a run when the host was given none: as it is stored now. */
export function checkpointPort(
  store: RestateStore,
  checkpoints: Checkpoints,
): Port<'saveCheckpoint'> {
  return (input, { signal, instance = '' }) =>
    untilReached(async () => {
      const record = await store.read(instance);
      if (!record?.definition || signal.aborted) return { kept: false };
      await checkpoints.save(instance, input, record.definition, stateOf(record));
      return { kept: true };
    }, signal);
}
