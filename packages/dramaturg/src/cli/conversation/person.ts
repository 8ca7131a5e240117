import { StringDecoder } from 'node:string_decoder';

/** The human side of a conversation: a script, a pipe or a terminal. */
export interface Person {
  /**
   * Resolves with the next line; undefined when there are no more lines, or when the signal is aborted. After an abort the
   * next call gets the line. Only a person at a terminal sees the prompt.
   */
  readonly nextLine: (prompt: () => string, options?: LineOptions) => Promise<string | undefined>;
  /** Whether the person types, so that the lines are on the screen already. */
  readonly types: boolean;
  readonly leave: () => void;
}

interface LineOptions {
  readonly signal?: AbortSignal;
  /** Accepts a blank line, as an empty string. By default blank lines are skipped. */
  readonly blank?: boolean;
}

/** A person who says these lines. */
export function personOfLines(lines: Iterable<string>): Person {
  const rest = lines[Symbol.iterator]();
  return {
    nextLine: async () => {
      const next = rest.next();
      return next.done ? undefined : next.value;
    },
    types: false,
    leave: () => {},
  };
}

/** A person who says the lines of a pipe. */
export function personOfPipe(input: NodeJS.ReadStream): Person {
  const lines = linesOf(input);
  let coming: Promise<IteratorResult<string, undefined>> | undefined;
  return {
    nextLine: async (_, { signal, blank = false } = {}) => {
      for (;;) {
        coming ??= lines.next();
        const next = await (signal ? Promise.race([coming, aborted(signal)]) : coming);
        if (next === undefined) return undefined;
        coming = undefined;
        if (next.done) return undefined;
        if (blank || next.value.trim() !== '') return next.value.trimEnd();
      }
    },
    types: false,
    // A generator cannot be stopped while it waits for the next chunk.
    leave: () => input.destroy(),
  };
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

/** Splits longer input without line breaks, to bound memory. No message may be as long. In UTF-16 units. */
const longestLine = 1_000_000;

async function* linesOf(input: AsyncIterable<Buffer>): AsyncGenerator<string, undefined> {
  const decoder = new StringDecoder('utf8');
  let pending = '';
  for await (const chunk of input) {
    pending += decoder.write(chunk);
    const lines = pending.split('\n');
    pending = lines.pop() ?? '';
    yield* lines;
    while (pending.length > longestLine) {
      yield pending.slice(0, longestLine);
      pending = pending.slice(longestLine);
    }
  }
  pending += decoder.end();
  // The text after the last line break is a line only if it is not empty.
  if (pending !== '') yield pending;
  return undefined;
}
