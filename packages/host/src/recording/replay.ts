import type { Chart, EventObject, PortCall, PortName } from '@dramaturg/compiler';
import { versionOf } from '../definitions/definition.ts';
import { firstDifference, inWords } from './difference.ts';
import { type Call, type Entry, type Happening, isRead, portNames, type Read } from './entry.ts';
import { RecordingError } from './recording-error.ts';
import { errorOf } from './recorded-error.ts';
import type { Recorded } from './read-recording.ts';
import type { Recording } from './recording.ts';
import { quiet } from './inbound-queue.ts';

export interface ReplayOptions {
  readonly recorded: Recorded;
  /** The chart that is run now. */
  readonly chart: Chart;
}

/** A call that waits for what was recorded as its end. */
interface OpenCall {
  readonly call: PortCall;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Replays a run: gives what was recorded, in the order in which it happened, and asks nobody. Between two things that came
 * from outside the run has to ask what it asked then: calls by their keys, time and chance in order.
 *
 * @throws RecordingError `recording/unusable` when the recording is of a definition of another format
 */
export function replay(options: ReplayOptions): Recording {
  const replayer = new Replayer(options);
  return {
    world: () => ({
      now: () => replayer.read('now') as number,
      random: () => replayer.read('random') as number,
      uuid: () => replayer.read('uuid') as string,
    }),
    ports: () =>
      Object.fromEntries(
        portNames.map((port) => [
          port,
          (asked: { readonly key: string }, call: PortCall) => replayer.call(port, asked, call),
        ]),
      ) as never,
    line: () => replayer.line(),
    events: (send) => {
      replayer.send = send as (event: EventObject) => void;
      return () => {};
    },
    stops: (signal) => AbortSignal.any([signal, replayer.stop.signal]),
    finish: () => replayer.finish(),
  };
}

class Replayer {
  readonly #recorded: Recorded;
  readonly #hint: string;
  readonly stop = new AbortController();
  send: (event: EventObject) => void = () => {};
  /** The entry that comes from outside next. */
  #next = 0;
  /** What the run has to ask before that, with the entries' places. */
  #calls = new Map<string, { readonly at: number; readonly entry: Call }>();
  #reads: { readonly at: number; readonly entry: Read }[] = [];
  readonly #open = new Map<string, OpenCall>();
  #listening: ((line: string | undefined) => void) | undefined;
  #playing: Promise<void> | undefined;
  #difference: RecordingError | undefined;

  constructor({ recorded, chart }: ReplayOptions) {
    this.#recorded = recorded;
    requireFormat(recorded, chart);
    const change =
      versionOf(chart) === recorded.header.chart
        ? 'The definition is the same as then: look at what else has changed.'
        : 'The definition has changed since then.';
    this.#hint = `${change} If this is as it should be, record the run again.`;
    this.#expectFrom(0);
  }

  read(type: Read['type']): number | string {
    this.#requireSame();
    const [expected] = this.#reads;
    if (expected?.entry.type === type) {
      this.#reads.shift();
      return expected.entry.value;
    }
    throw this.#differ(
      `the run now asks for ${readInWords[type]}, and ${this.#expected(expected?.at)}`,
      expected?.at ?? this.#next,
    );
  }

  async call(port: PortName, asked: { readonly key: string }, call: PortCall): Promise<unknown> {
    this.#play();
    // Nothing comes any more once the run has left its recording; the first difference is what counts.
    if (this.#difference) return forever();
    const { key } = asked;
    const id = idOf(port, key);
    const expected = this.#calls.get(id);
    if (!expected) {
      const at = this.#calls.values().next().value?.at;
      this.#differ(
        `the run now makes ${callInWords(port, key)}, and ${this.#expected(at)}`,
        at ?? this.#next,
      );
      return forever();
    }
    const difference = firstDifference(expected.entry.input, asked);
    if (difference) {
      this.#differ(`${callInWords(port, key)} differs ${inWords(difference)}`, expected.at);
      return forever();
    }
    this.#calls.delete(id);
    return new Promise((resolve, reject) => this.#open.set(id, { call, resolve, reject }));
  }

  line(): Promise<string | undefined> {
    this.#play();
    return new Promise((resolve) => {
      this.#listening = resolve;
    });
  }

  async finish(): Promise<void> {
    this.#play();
    await this.#playing;
    this.#requireSame();
  }

  #requireSame(): void {
    if (this.#difference) throw this.#difference;
  }

  #play(): void {
    this.#playing ??= this.#playAll();
  }

  async #playAll(): Promise<void> {
    for (;;) {
      await quiet();
      if (this.#difference) return;
      const entry = this.#recorded.entries[this.#next] as Happening;
      const missing = [...this.#calls.values(), ...this.#reads];
      const first = missing.toSorted((one, other) => one.at - other.at)[0];
      if (first) {
        this.#differ(
          `the run does not go on with it any more: ${this.#expected(first.at)}`,
          first.at,
        );
        return;
      }
      if (entry.type === 'end') {
        this.stop.abort();
        return;
      }
      const happen = this.#happening(entry);
      if (!happen) {
        this.#differ(`nothing waits for it any more: ${this.#expected(this.#next)}`, this.#next);
        return;
      }
      this.#expectFrom(this.#next + 1);
      happen();
    }
  }

  /** What makes an entry happen again; undefined when the run does not wait for it. */
  #happening(entry: Happening): (() => void) | undefined {
    switch (entry.type) {
      case 'text': {
        const open = this.#open.get(idOf(entry.port, entry.key));
        return open && (() => open.call.onText(entry.text));
      }
      case 'answer': {
        const open = this.#close(entry);
        return open && (() => open.resolve(entry.output));
      }
      case 'failure': {
        const open = this.#close(entry);
        return open && (() => open.reject(errorOf(entry.port, entry.thrown)));
      }
      case 'said':
      case 'left': {
        const listening = this.#listening;
        this.#listening = undefined;
        return listening && (() => listening(entry.type === 'said' ? entry.text : undefined));
      }
      case 'event':
        return () => this.send(entry.event);
      case 'stopped':
        return () => this.stop.abort();
      case 'end':
        return undefined;
    }
  }

  #close({ port, key }: { readonly port: PortName; readonly key: string }): OpenCall | undefined {
    const id = idOf(port, key);
    const open = this.#open.get(id);
    this.#open.delete(id);
    return open;
  }

  /** Goes to the next entry that comes from outside. */
  #expectFrom(start: number): void {
    const { entries } = this.#recorded;
    this.#calls = new Map();
    this.#reads = [];
    for (let at = start; ; at += 1) {
      const entry = entries[at]!;
      if (entry.type === 'call') this.#calls.set(idOf(entry.port, entry.key), { at, entry });
      else if (isRead(entry)) this.#reads.push({ at, entry: entry as Read });
      else {
        this.#next = at;
        return;
      }
    }
  }

  /** The recording at a place, as the second half of a sentence. */
  #expected(at = this.#next): string {
    const entry = this.#recorded.entries[at]!;
    return entry.type === 'end'
      ? 'the recording ends there'
      : `the recording has ${inShort(entry)}`;
  }

  /** Only the first difference is told: what comes after it follows from it. */
  #differ(what: string, at: number): RecordingError {
    const line = at + 2;
    this.#difference ??= new RecordingError(
      'recording/differs',
      `The run leaves the recording "${this.#recorded.name}" at line ${line}: ${what}.`,
      this.#hint,
      line,
    );
    this.stop.abort(this.#difference);
    return this.#difference;
  }
}

function requireFormat({ name, header }: Recorded, { format }: Chart): void {
  if (header.format === format) return;
  throw new RecordingError(
    'recording/unusable',
    `"${name}" is the recording of a definition of the format ${JSON.stringify(header.format)}, and this one is of "${format}".`,
    'Replay it with the definition that it was recorded with.',
    1,
  );
}

function idOf(port: PortName, key: string): string {
  return `${port} ${key}`;
}

const readInWords = { now: 'the time', random: 'a random number', uuid: 'a random UUID' } as const;

function callInWords(port: PortName, key: string): string {
  return `the call of "${port}" with the key ${JSON.stringify(key)}`;
}

function inShort(entry: Entry): string {
  switch (entry.type) {
    case 'now':
    case 'random':
    case 'uuid':
      return `a question for ${readInWords[entry.type]} there`;
    case 'call':
      return `${callInWords(entry.port, entry.key)} there`;
    case 'text':
      return `a part of the answer to ${callInWords(entry.port, entry.key)} there`;
    case 'answer':
      return `the answer to ${callInWords(entry.port, entry.key)} there`;
    case 'failure':
      return `the failure of ${callInWords(entry.port, entry.key)} there`;
    case 'said':
      return `a line of the person there`;
    case 'left':
      return 'the person leaving there';
    case 'event':
      return `an event "${entry.event.type}" from outside there`;
    case 'stopped':
      return 'somebody breaking it off there';
    case 'end':
      return 'its end there';
  }
}

function forever(): Promise<never> {
  return new Promise(() => {});
}
