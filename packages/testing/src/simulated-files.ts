import type { FileStatus, FileSystem, OpenFile, OpenMode } from '@dramaturg/host/store';

/** The name of an operation of `FileSystem` or `OpenFile`. */
export type FileOperation = keyof FileSystem | Exclude<keyof OpenFile, 'close'>;

/** Called before each operation. It may wait, and may throw an error of the system: then the operation has no effect. */
export type BeforeOperation = (operation: FileOperation, path: string) => Promise<void> | void;

/** A number from 0 to 1, without 1. */
type Random = () => number;

type Node = SimulatedFile | Folder;

/** A folder: the names that the process sees, and those that the device has. */
class Folder {
  readonly names = new Map<string, Node>();
  readonly stored = new Map<string, Node>();
}

/** Changes of names that happen together and that the device does not have yet. */
interface Renaming {
  readonly changes: readonly { readonly folder: Folder; readonly name: string; node?: Node }[];
}

/**
 * Files in memory that lose unflushed writes in a power cut. Owns the content that the process sees and the content of the device.
 *
 * `killed` is the disk after the death of the process, and `cut` the disk after a power cut. Both are copies: later operations of
 * the old process do not reach them.
 */
export class SimulatedFiles implements FileSystem {
  #root = new Folder();
  #unflushed: Renaming[] = [];
  readonly #now: () => number;
  #before: BeforeOperation;

  constructor(before: BeforeOperation = () => undefined, now: () => number = () => 0) {
    this.#before = before;
    this.#now = now;
  }

  /** Replaces the function that is called before each operation. */
  set before(before: BeforeOperation) {
    this.#before = before;
  }

  /** Copies the disk after the death of the process: later processes see all of it, and a power cut can still lose what was not flushed. */
  killed(): SimulatedFiles {
    return this.#copy((file) => file.copy(), 'names');
  }

  /** Copies the disk after a power cut: with any part of the unflushed writes and names, torn at any byte. */
  cut(random: Random): SimulatedFiles {
    const kept = this.#unflushed.filter(() => random() < 0.5);
    const folders = new Map<Folder, Map<string, Node>>();
    const namesOf = (folder: Folder) => {
      const names = folders.get(folder) ?? new Map(folder.stored);
      folders.set(folder, names);
      return names;
    };
    for (const { changes } of kept)
      for (const { folder, name, node } of changes) setName(namesOf(folder), name, node);
    return this.#copy((file) => file.cut(random), namesOf);
  }

  async open(path: string, mode: OpenMode): Promise<OpenFile> {
    await this.#before('open', path);
    const { folder, name } = this.#parent(path);
    let found = folder.names.get(name);
    if (found instanceof Folder) throw systemError('EISDIR', path);
    if (mode === 'new' && found !== undefined) throw systemError('EEXIST', path);
    if (mode === 'read' && found === undefined) throw systemError('ENOENT', path);
    if (found === undefined) {
      found = new SimulatedFile(this.#now());
      this.#change([{ folder, name, node: found }]);
    }
    return this.#opened(found, path);
  }

  async readFile(path: string): Promise<Buffer> {
    await this.#before('readFile', path);
    const found = this.#find(path);
    if (found === undefined) throw systemError('ENOENT', path);
    if (found instanceof Folder) throw systemError('EISDIR', path);
    return Buffer.from(found.content);
  }

  async list(path: string): Promise<readonly string[]> {
    await this.#before('list', path);
    return [...this.#folder(path).names.keys()];
  }

  async stat(path: string): Promise<FileStatus | undefined> {
    await this.#before('stat', path);
    const found = this.#find(path);
    if (found === undefined) return undefined;
    return found instanceof Folder
      ? { isFolder: true, size: 0, modifiedAt: 0 }
      : { isFolder: false, size: found.content.length, modifiedAt: found.modifiedAt };
  }

  async makeFolder(path: string): Promise<void> {
    await this.#before('makeFolder', path);
    const found = this.#find(path);
    if (found instanceof Folder) return;
    if (found !== undefined) throw systemError('EEXIST', path);
    this.#change([{ ...this.#parent(path), node: new Folder() }]);
  }

  async rename(path: string, target: string): Promise<void> {
    await this.#before('rename', path);
    const [from, to] = [this.#parent(path), this.#parent(target)];
    const node = from.folder.names.get(from.name);
    if (node === undefined) throw systemError('ENOENT', path);
    const replaced = to.folder.names.get(to.name);
    if (replaced instanceof Folder && replaced.names.size > 0)
      throw systemError('ENOTEMPTY', target);
    this.#change([from, { ...to, node }]);
  }

  async link(path: string, target: string): Promise<void> {
    await this.#before('link', path);
    const node = this.#find(path);
    if (node === undefined) throw systemError('ENOENT', path);
    const { folder, name } = this.#parent(target);
    if (folder.names.has(name)) throw systemError('EEXIST', target);
    this.#change([{ folder, name, node }]);
  }

  async remove(path: string): Promise<void> {
    await this.#before('remove', path);
    if (this.#find(path) === undefined) return;
    this.#change([this.#parent(path)]);
  }

  async touch(path: string, time: number): Promise<void> {
    await this.#before('touch', path);
    const found = this.#find(path);
    if (!(found instanceof SimulatedFile)) throw systemError('ENOENT', path);
    found.modifiedAt = time;
  }

  async flushFolder(path: string): Promise<void> {
    await this.#before('flushFolder', path);
    const flushed = this.#folder(path);
    const isInside = ({ changes }: Renaming) => changes.some(({ folder }) => folder === flushed);
    for (const { changes } of this.#unflushed.filter(isInside))
      for (const { folder, name, node } of changes) setName(folder.stored, name, node);
    this.#unflushed = this.#unflushed.filter((renaming) => !isInside(renaming));
  }

  #opened(file: SimulatedFile, path: string): OpenFile {
    const before = async (operation: FileOperation) => this.#before(operation, path);
    return {
      size: async () => {
        await before('size');
        return file.content.length;
      },
      read: async (offset, length) => {
        await before('read');
        return Buffer.from(file.content.subarray(offset, offset + length));
      },
      write: async (bytes, offset) => {
        const written = Buffer.from(bytes);
        await before('write');
        file.write(written, offset, this.#now());
      },
      truncate: async (size) => {
        await before('truncate');
        file.truncate(size, this.#now());
      },
      flush: async () => {
        // Writes during the flush are not part of it.
        const flush = file.startFlush();
        await before('flush');
        flush();
      },
      close: async () => undefined,
    };
  }

  #change(changes: Renaming['changes']): void {
    for (const { folder, name, node } of changes) setName(folder.names, name, node);
    this.#unflushed.push({ changes });
  }

  #copy(
    copyFile: (file: SimulatedFile) => SimulatedFile,
    namesOf: 'names' | ((folder: Folder) => ReadonlyMap<string, Node>),
  ): SimulatedFiles {
    // A file with two names is one file in the copy too.
    const copies = new Map<Node, Node>();
    const copy = (node: Node): Node => {
      const known = copies.get(node);
      if (known !== undefined) return known;
      const made = node instanceof Folder ? new Folder() : copyFile(node);
      copies.set(node, made);
      if (node instanceof Folder && made instanceof Folder) {
        const [names, stored] =
          namesOf === 'names' ? [node.names, node.stored] : [namesOf(node), namesOf(node)];
        for (const [name, child] of names) made.names.set(name, copy(child));
        for (const [name, child] of stored) made.stored.set(name, copy(child));
      }
      return made;
    };
    const files = new SimulatedFiles(undefined, this.#now);
    files.#root = copy(this.#root) as Folder;
    if (namesOf === 'names')
      files.#unflushed = this.#unflushed.map(({ changes }) => ({
        changes: changes.map(({ folder, name, node }) => ({
          folder: copy(folder) as Folder,
          name,
          ...(node && { node: copy(node) }),
        })),
      }));
    return files;
  }

  #parent(path: string): { readonly folder: Folder; readonly name: string } {
    const names = namesIn(path);
    const name = names.pop();
    if (name === undefined) throw systemError('EBUSY', path);
    return { folder: this.#folder(`/${names.join('/')}`), name };
  }

  #folder(path: string): Folder {
    const found = this.#find(path);
    if (found === undefined) throw systemError('ENOENT', path);
    if (!(found instanceof Folder)) throw systemError('ENOTDIR', path);
    return found;
  }

  #find(path: string): Node | undefined {
    let found: Node | undefined = this.#root;
    for (const name of namesIn(path)) {
      if (!(found instanceof Folder)) return undefined;
      found = found.names.get(name);
    }
    return found;
  }
}

/** An error as the system reports it. */
export function systemError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: simulated, '${path}'`), { code });
}

function namesIn(path: string): string[] {
  return path.split('/').filter((name) => name !== '');
}

function setName(names: Map<string, Node>, name: string, node: Node | undefined): void {
  if (node === undefined) names.delete(name);
  else names.set(name, node);
}

type Change =
  | { readonly offset: number; readonly bytes: Buffer }
  | { readonly truncatedTo: number };

/** A file in memory: the content that the process sees, and the changes that the device does not have yet. */
class SimulatedFile {
  content = Buffer.alloc(0);
  modifiedAt: number;
  #stored = Buffer.alloc(0);
  #unflushed: Change[] = [];

  constructor(now: number) {
    this.modifiedAt = now;
  }

  write(bytes: Buffer, offset: number, now: number): void {
    this.#change({ offset, bytes }, now);
  }

  truncate(size: number, now: number): void {
    this.#change({ truncatedTo: size }, now);
  }

  /** @returns a function that completes the flush of the changes so far */
  startFlush(): () => void {
    const flushed = new Set(this.#unflushed);
    return () => {
      const isFlushed = (change: Change) => flushed.has(change);
      this.#stored = this.#unflushed.filter(isFlushed).reduce(changed, this.#stored);
      this.#unflushed = this.#unflushed.filter((change) => !isFlushed(change));
    };
  }

  /** The file after the death of a process: the device still lacks the unflushed changes. */
  copy(): SimulatedFile {
    const copy = this.#with(this.content);
    copy.#stored = this.#stored;
    copy.#unflushed = [...this.#unflushed];
    return copy;
  }

  /** The file after a power cut: each unflushed change is kept, lost, or kept up to any byte. */
  cut(random: () => number): SimulatedFile {
    const kept = this.#unflushed.flatMap((change) => torn(change, random));
    return this.#with(kept.reduce(changed, this.#stored));
  }

  #with(content: Buffer): SimulatedFile {
    const copy = new SimulatedFile(this.modifiedAt);
    copy.content = Buffer.from(content);
    copy.#stored = Buffer.from(content);
    return copy;
  }

  #change(change: Change, now: number): void {
    this.content = changed(this.content, change);
    this.#unflushed.push(change);
    this.modifiedAt = now;
  }
}

function torn(change: Change, random: () => number): Change[] {
  const fate = random();
  if (fate < 0.4) return [change];
  if (fate < 0.7 || !('bytes' in change)) return [];
  const { offset, bytes } = change;
  const start = fate < 0.85 ? 0 : Math.floor(random() * bytes.length);
  const end = start + Math.floor(random() * (bytes.length - start));
  return [{ offset: offset + start, bytes: bytes.subarray(start, end) }];
}

function changed(content: Buffer, change: Change): Buffer<ArrayBuffer> {
  if ('truncatedTo' in change) return resized(content, change.truncatedTo);
  const { offset, bytes } = change;
  const grown = resized(content, Math.max(content.length, offset + bytes.length));
  bytes.copy(grown, offset);
  return grown;
}

function resized(content: Buffer, size: number): Buffer<ArrayBuffer> {
  const resizedContent = Buffer.alloc(size);
  content.copy(resizedContent);
  return resizedContent;
}
