import type { Ports } from '@dramaturg/compiler';
import type { Clock } from '../clock/clock.ts';
import { realClock } from '../clock/real.ts';
import { valueOf } from './memory.ts';
import { memoryFile, readMemories } from './memory-file.ts';
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
 * The file is read in the background. Each call waits for that, and rejects when the file is not a memory file.
 *
 * @example
 * ```ts
 * const memory = memoryPorts({ file: 'memory.json' });
 * const host = await createHost({
 *   store: memoryStore(),
 *   definitions: { intake },
 *   ports: { ...understudyPorts(), ...memory },
 * });
 * const { id } = await host.start('intake', { contact: 'ada' });
 * console.log(await memory.memoriesOf([id])); // → []
 * await host.stop();
 * ```
 */
export function memoryPorts({ clock = realClock(), file }: MemoryOptions = {}): Pick<
  Ports,
  'recall' | 'remember'
> &
  MemoryOwner {
  const keeping = keeperOf(file);
  // Reported by each call.
  keeping.catch(() => undefined);
  const { now } = clock.world;
  const stored =
    file === undefined ? undefined : memoryFile(file, async () => (await keeping).all(now()));
  return {
    recall: async (input) => (await keeping).recall(input, now()),
    async remember(input, { instance }) {
      const changed = (await keeping).remember(input, now(), instance);
      // A call that is repeated after an error of the file changes nothing, but may not be stored.
      await (changed ? stored?.save() : stored?.saved());
      return { stored: changed !== undefined };
    },
    forget: async (instances) => {
      const count = (await keeping).forget(new Set(instances));
      // Also when nothing has changed: a process that was killed may have left a draft of the file.
      await stored?.save();
      return count;
    },
    memoriesOf: async (instances) =>
      (await keeping).of(new Set(instances), now()).map((memory) => {
        const { namespace, name, at, until } = memory;
        const expiry = until === undefined ? {} : { until };
        return { namespace, name, value: valueOf(memory), at, ...expiry };
      }),
  };
}

async function keeperOf(file: string | undefined): Promise<MemoryKeeper> {
  return new MemoryKeeper(file === undefined ? [] : await readMemories(file));
}
