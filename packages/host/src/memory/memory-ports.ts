import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Ports } from '@dramaturg/compiler';
import type { Clock } from '../clock/clock.ts';
import { realClock } from '../clock/real.ts';
import { type Memory, MemoryKeeper } from './memory-keeper.ts';

export interface MemoryOptions {
  /** The real clock by default. */
  readonly clock?: Pick<Clock, 'world'>;
  /** The JSON file for the memories. Without it, they are lost when the process ends. */
  readonly file?: string;
}

/**
 * Answers the ports `recall` and `remember`. Memories are found by name, by words, or by age, in one namespace. All of
 * them are kept in the memory of one process.
 *
 * @throws Error when the file exists and is not a memory file
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
    if (!Array.isArray(memories)) throw new Error('it has no list "memories"');
    return memories;
  } catch (cause) {
    throw new Error(`"${file}" is not a memory file: ${(cause as Error).message}.`, { cause });
  }
}

/** Replaces the file atomically. */
function writeMemories(file: string, memories: readonly Memory[]): void {
  mkdirSync(dirname(file), { recursive: true });
  const temporary = `${file}.${process.pid}.tmp`;
  writeFileSync(temporary, `${JSON.stringify({ memories }, undefined, 1)}\n`, { flush: true });
  renameSync(temporary, file);
}
