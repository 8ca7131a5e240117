type Change =
  | { readonly offset: number; readonly bytes: Buffer }
  | { readonly truncatedTo: number };

/** A file in memory: the content that the process sees, and the changes that the device does not have yet. */
export class SimulatedFile {
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

  copy(): SimulatedFile {
    return this.#with(this.content);
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
