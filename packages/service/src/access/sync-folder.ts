import { open } from 'node:fs/promises';

/** Waits until the names of the files in a folder are on the disk. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
