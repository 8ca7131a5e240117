import type { PortInput } from '@dramaturg/compiler';

type Stream = NonNullable<PortInput<'runAgent'>['stream']>;

/** Where a text may be cut, by mode. Other modes may cut anywhere. */
const ends: Readonly<Record<string, RegExp>> = {
  line: /\n/g,
  sentence: /[.!?](?=\s)/g,
};

/** The size of chunks without a `ChunkSize`, in UTF-16 units. */
const chunkSizeDefault = 256;

/** Cuts a text that arrives in parts into chunks: tokens as they arrive, lines, sentences, or chunks of a size. */
export class Chunks {
  readonly #mode: string;
  readonly #least: number;
  #waiting = '';

  constructor({ mode, chunkSize }: Stream) {
    this.#mode = mode;
    this.#least = chunkSize ?? (mode === 'chunk' ? chunkSizeDefault : 1);
  }

  /** The chunk that is complete now; undefined when none is. */
  add(part: string): string | undefined {
    this.#waiting += part;
    const end = this.#end();
    if (end < this.#least) return undefined;
    const chunk = this.#waiting.slice(0, end);
    this.#waiting = this.#waiting.slice(end);
    return chunk;
  }

  /** The rest of the text. */
  rest(): string {
    const rest = this.#waiting;
    this.#waiting = '';
    return rest;
  }

  #end(): number {
    const pattern = Object.hasOwn(ends, this.#mode) ? ends[this.#mode] : undefined;
    if (!pattern) return this.#waiting.length;
    const last = [...this.#waiting.matchAll(pattern)].at(-1);
    return last ? last.index + 1 : 0;
  }
}
