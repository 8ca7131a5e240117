import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Ports } from '@dramaturg/compiler';
import type { Clock } from '../clock/clock.ts';
import { realClock } from '../clock/real.ts';
import { type Memory, MemoryKeeper } from './memory-keeper.ts';

export interface MemoryOptions {
  /** The time of day when left out. */
  readonly clock?: Pick<Clock, 'world'>;
  /** Where it is kept, as JSON; what is remembered is lost with the process when left out. */
  readonly file?: string;
}

/**
 * Answers `recall` and `remember`: memory by name, by words, or the latest, each within a namespace. It is for one process,
 * and for what fits into it.
 *
 * @throws Error when the file is there and cannot be read as memory
 */
export function memoryPorts({ clock = realClock(), file }: MemoryOptions = {}): Pick<
  Ports,
  'recall' | 'remember'
> {
  const keeper = new MemoryKeeper(file === undefined ? [] : readMemories(file));
  return {
    recall: (input) => keeper.recall(input, clock.world.now()),
    remember(input) {
      const changed = keeper.remember(input, clock.world.now());
      if (changed && file !== undefined) writeMemories(file, keeper.all(clock.world.now()));
      return { stored: changed !== undefined };
    },
  };
}

function readMemories(file: string): Memory[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return [];
    throw error;
  }
  try {
    const { memories } = JSON.parse(text) as { memories: Memory[] };
    if (!Array.isArray(memories)) throw new Error('it has no list of memories');
    return memories;
  } catch (cause) {
    throw new Error(`"${file}" is no memory: ${(cause as Error).message}.`, { cause });
  }
}

/** What is there stays whole until the rest has its place. */
function writeMemories(file: string, memories: readonly Memory[]): void {
  mkdirSync(dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify({ memories }, undefined, 1)}\n`, { flush: true });
  renameSync(temporary, file);
}
