import { type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';

/** Milliseconds to wait for further changes: editors write a file in several steps. */
const pause = 100;

/**
 * Runs now, and again after each change in the folders of the files, until the signal is aborted.
 *
 * @param run gives the files that it has read
 */
export async function runOnChange(
  run: () => Promise<readonly string[]>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const folders = new Set((await run()).map((file) => dirname(file)));
    await changeIn([...folders], signal);
  }
}

/** Fulfils when a file in one of the folders has changed, or when the signal is aborted. */
async function changeIn(folders: readonly string[], signal: AbortSignal): Promise<void> {
  const watchers: FSWatcher[] = [];
  await new Promise<void>((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const change = () => {
      clearTimeout(timer);
      timer = setTimeout(resolve, pause);
    };
    for (const folder of folders) watchers.push(watch(folder, change));
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  for (const watcher of watchers) watcher.close();
}
