import type { Ports } from '@dramaturg/compiler';
import type { Clock } from '../clock/clock.ts';
import { realClock } from '../clock/real.ts';
import { valueOf } from './memory.ts';
import { MemoryFile, readMemories } from './memory-file.ts';
import { MemoryKeeper } from './memory-keeper.ts';
import type { MemoryOwner } from './memory-owner.ts';

export interface MemoryOptions {
  /** The real clock by default. */
  readonly clock?: Pick<Clock, 'world'>;
  /** The JSON file for the memories. Without it, they are lost when the process ends. */
  readonly file?: string;
}

/**
 * Answers the ports `recall` and `remember`. Memories are found by name, by words, or by age, in one namespace. All of
 * them are kept in the memory of one process. A memory knows the instances that have stored it, so that a host can erase and
 * export what belongs to a person.
 *
 * @throws Error when the file exists and is not a memory file
 */
export function memoryPorts({ clock = realClock(), file }: MemoryOptions = {}): Pick<
  Ports,
  'recall' | 'remember'
> &
  MemoryOwner {
  const keeper = new MemoryKeeper(file === undefined ? [] : readMemories(file));
  const { now } = clock.world;
  const stored = file === undefined ? undefined : new MemoryFile(file, () => keeper.all(now()));
  return {
    recall: (input) => keeper.recall(input, now()),
    async remember(input, { instance }) {
      const changed = keeper.remember(input, now(), instance);
      // A call that is repeated after an error of the file changes nothing, but may not be stored.
      await (changed ? stored?.save() : stored?.saved());
      return { stored: changed !== undefined };
    },
    forget: async (instances) => {
      const count = keeper.forget(new Set(instances));
      // Also when nothing has changed: a process that was killed may have left a draft of the file.
      await stored?.save();
      return count;
    },
    memoriesOf: (instances) =>
      keeper.of(new Set(instances), now()).map((memory) => {
        const { namespace, name, at, until } = memory;
        const expiry = until === undefined ? {} : { until };
        return { namespace, name, value: valueOf(memory), at, ...expiry };
      }),
  };
}
