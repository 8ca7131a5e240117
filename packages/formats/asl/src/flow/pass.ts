import type { Dialect, Pass } from '../definition/index.ts';
import { compileMemory, type MemoryProgram } from './memory.ts';

export function compilePass({ Memory: memory }: Pass, dialect: Dialect): Partial<MemoryProgram> {
  return memory ? compileMemory(memory, dialect) : {};
}
