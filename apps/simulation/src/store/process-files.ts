import type { FileSystem, OpenFile } from '@dramaturg/host/store';
import type { FileOperation } from '@dramaturg/testing';
import type { SimulatedProcess } from '../machine/process.ts';

/**
 * The files of the machine as one process sees them. Each operation begins when the process runs, and is answered when it
 * runs, so a process can be frozen or end before, during and after it.
 *
 * @param files the present files: after a power cut they are others
 * @param reach called before each operation
 */
export function processFiles(
  process: SimulatedProcess,
  {
    files,
    reach,
  }: { readonly files: () => FileSystem; readonly reach: (operation: FileOperation) => void },
): FileSystem {
  const perform = <Result>(operation: FileOperation, work: () => Promise<Result>) =>
    new Promise<Result>((resolve, reject) => {
      reach(operation);
      process.enter(() => void process.await(work()).then(resolve, reject));
    });
  const opened = (file: OpenFile): OpenFile => ({
    size: () => perform('size', () => file.size()),
    read: (offset, length) => perform('read', () => file.read(offset, length)),
    write: (bytes, offset) => perform('write', () => file.write(bytes, offset)),
    truncate: (size) => perform('truncate', () => file.truncate(size)),
    flush: () => perform('flush', () => file.flush()),
    close: () => file.close(),
  });
  return {
    open: async (path, mode) => opened(await perform('open', () => files().open(path, mode))),
    readFile: (path) => perform('readFile', () => files().readFile(path)),
    list: (path) => perform('list', () => files().list(path)),
    stat: (path) => perform('stat', () => files().stat(path)),
    makeFolder: (path) => perform('makeFolder', () => files().makeFolder(path)),
    rename: (path, target) => perform('rename', () => files().rename(path, target)),
    link: (path, target) => perform('link', () => files().link(path, target)),
    remove: (path) => perform('remove', () => files().remove(path)),
    touch: (path, time) => perform('touch', () => files().touch(path, time)),
    flushFolder: (path) => perform('flushFolder', () => files().flushFolder(path)),
  };
}
