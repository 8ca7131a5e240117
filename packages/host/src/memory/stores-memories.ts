import type { Ports } from '@dramaturg/compiler';
import type { MemoryOwner } from './memory-owner.ts';

/** The ports of a host that store and delete memories. */
export type MemoryPorts = Partial<Pick<Ports, 'remember'> & Pick<MemoryOwner, 'forget'>>;

/** A port that stores nothing, and answers so. */
export const rememberNothing: Ports['remember'] = () => ({ stored: false });

/** Whether instances can store memories, which have to be erased with them. */
export function storesMemories({ remember }: MemoryPorts): boolean {
  return remember !== undefined && remember !== rememberNothing;
}
