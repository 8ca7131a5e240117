import { StringDecoder } from 'node:string_decoder';

/** Whoever the conversation is held with. */
export interface Person {
  /**
   * The next line, once there is one; undefined when there will be none any more, or when the signal says that nobody waits
   * for it: it is then for whoever asks next. Only who types is prompted.
   */
  readonly nextLine: (prompt: () => string, options?: LineOptions) => Promise<string | undefined>;
  /** Whether what they say is on the screen already, because they typed it there. */
  readonly types: boolean;
  readonly leave: () => void;
}

interface LineOptions {
  readonly signal?: AbortSignal;
  /** Blank lines are passed over, unless this says that one is an answer: it comes as an empty text. */
  readonly blank?: boolean;
}

/** Says these lines and no more. */
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

/** Says what comes through a pipe, a line a message. */
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
    // The generator cannot be told to return while it waits for the next chunk.
    leave: () => input.destroy(),
  };
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
}

/** No message may be as long; whoever sends more without a line break is no person. In UTF-16 units. */
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
  // Behind the last line break there is no line.
  if (pending !== '') yield pending;
  return undefined;
}
