import { join } from 'node:path';
import { type FileSystem, listIfExists } from '../disk/file-system.ts';
import type { Scheduler } from '../disk/system.ts';
import { concurrently } from '../slices.ts';
import { finishCreation, startCreation, writeFile } from './layout.ts';
import type { Manifest } from './manifest.ts';

export interface BackupParts {
  /** The data folder. */
  readonly data: string;
  readonly files: FileSystem;
  readonly scheduler: Pick<Scheduler, 'yield'>;
  readonly manifest: Manifest;
  /** The journal as it is at one instant. */
  readonly journal: Buffer;
}

/** Copies a store while no file of a record changes. */
export async function copyFiles(parts: BackupParts, target: string): Promise<void> {
  const { data, files, scheduler, manifest, journal } = parts;
  await startCreation(target, files);
  await finishCreation(target, files, { ...manifest, isClosed: true }, async (folder) => {
    await writeFile(join(folder, manifest.journal), journal, files);
    for (const kind of ['records', 'damaged']) {
      const names = await listIfExists(join(data, kind), files);
      await concurrently(names, async (name) => {
        const content = await files.readFile(join(data, kind, name));
        await writeFile(join(folder, kind, name), content, files);
        await scheduler.yield();
      });
      await files.flushFolder(join(folder, kind));
    }
    await files.flushFolder(folder);
  });
}
