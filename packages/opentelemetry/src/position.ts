import { mkdir, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ReaderPosition } from '@dramaturg/host';
import { nodeSystem, replaceFile } from '@dramaturg/host/store';

/** Keeps the position up to which a host was traced, for the next process. `host.readerPosition` keeps it with the instances. */
export interface TracePosition extends Partial<Pick<ReaderPosition, 'begin' | 'events'>> {
  /** @returns undefined the first time */
  readonly load: () => Promise<string | undefined>;
  /** Fulfils when the stored string survives a crash. */
  readonly save: ReaderPosition['save'];
}

/** A position in a file. Its folder is created. */
export function positionFile(path: string): TracePosition {
  return {
    load: async () => {
      try {
        return await readFile(path, 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    save: async (text) => {
      await mkdir(dirname(path), { recursive: true });
      const draft = `${path}.draft`;
      // A killed process may have left the draft.
      await rm(draft, { force: true });
      await replaceFile(nodeSystem().files, draft, path, [text]);
    },
  };
}
