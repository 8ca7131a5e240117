import type { StoreLocation } from '@dramaturg/host';
import type { SimulatedProcess } from '../machine/process.ts';

/** The disk of a simulation, with one store. It outlives processes. */
export interface Disk {
  /** The store, as a process sees it. */
  place(process: SimulatedProcess): StoreLocation;
  /** Loses what was not flushed. All processes have ended. */
  cutPower(): void;
  /** The paths of all files that contain a text; empty when the disk has no files. */
  filesWith(text: string): Promise<readonly string[]>;
}

/** The present faults of a disk. */
export interface DiskTrouble {
  /** The share of writes that fail. */
  readonly failures: number;
  /** Whether the disk is full. */
  readonly isFull: boolean;
  /** The longest time that a flush takes, in milliseconds. */
  readonly flushMs: number;
}

export const soundDisk: DiskTrouble = { failures: 0, isFull: false, flushMs: 3 };
