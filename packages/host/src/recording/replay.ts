import type { Chart, EventObject, PortCall, PortName } from '@dramaturg/compiler';
import { versionOf } from '../definitions/definition.ts';
import { describeDifference, firstDifference } from './difference.ts';
import {
  type CallEntry,
  type Entry,
  type InboundEntry,
  isRead,
  portNames,
  type ReadEntry,
} from './entry.ts';
import { type Recording, RecordingError } from './recording.ts';
import { toPortError } from './recorded-error.ts';
import type { RecordedRun } from './read-recording.ts';
import { settle } from './record.ts';

export interface ReplayOptions {
  readonly recorded: RecordedRun;
  /** The chart that is run now. */
  readonly chart: Chart;
}

/** A call that waits for its recorded answer or failure. */
interface OpenCall {
  readonly call: PortCall;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Replays a run: returns the recorded answers in their recorded order and calls no port. Between two answers it checks that the
 * run makes the recorded requests: calls by port and key, times and random values in order.
 *
 * @throws RecordingError `recording/unusable` when the recording is of a definition of another format
 *
 * @example
 * ```ts
 * const workflow = 'StartAt: Price\nStates: { Price: { Type: Task, Agent: Price, End: true } }';
 * let written = '';
 * const recording = record({
 *   write: (lines) => (written += lines),
 *   chart: pricing.chart!,
 *   input: {},
 * });
 * const first = compile(workflow, { link: { world: recording.world(realClock().world) } });
 * const ports = recording.ports({ runAgent: async () => ({ result: 40 }) });
 * await toPromise(createActor(providePorts(first.machine!, ports)).start());
 * await recording.finish();
 *
 * const again = replay({
 *   recorded: readRecording(written, 'price.recording'),
 *   chart: pricing.chart!,
 * });
 * const second = compile(workflow, { link: { world: again.world(realClock().world) } });
 * const uncalled = again.ports({ runAgent: async () => ({ result: 0 }) });
 * console.log((await toPromise(createActor(providePorts(second.machine!, uncalled)).start())).output); // → 40
 * await again.finish();
 * ```
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
          (input: { readonly key: string }, call: PortCall) => replayer.call(port, input, call),
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

/**
 * Owns: the position in the recording, the calls and reads expected before the next inbound entry, and the open calls.
 * States: idle (until the first call, line or `finish`) → playing → at the end or at the first difference. The last two abort
 * `stop`; after a difference, calls never settle and `finish` throws the difference.
 */
class Replayer {
  readonly #recorded: RecordedRun;
  readonly #hint: string;
  readonly stop = new AbortController();
  send: (event: EventObject) => void = () => {};
  /** The index of the next inbound entry. */
  #next = 0;
  /** The requests that the run must make before that entry, with the indexes of their entries. */
  #calls = new Map<string, { readonly at: number; readonly entry: CallEntry }>();
  #reads: { readonly at: number; readonly entry: ReadEntry }[] = [];
  readonly #open = new Map<string, OpenCall>();
  /** Resolves the pending `line()`. */
  #resolveLine: ((line: string | undefined) => void) | undefined;
  #playing: Promise<void> | undefined;
  #difference: RecordingError | undefined;

  constructor({ recorded, chart }: ReplayOptions) {
    this.#recorded = recorded;
    requireFormat(recorded, chart);
    const change =
      versionOf(chart) === recorded.header.chart
        ? 'The definition has not changed: look for other changes.'
        : 'The definition has changed.';
    this.#hint = `${change} If the difference is intended, record the run again.`;
    this.#expectFrom(0);
  }

  read(type: ReadEntry['type']): number | string {
    this.#throwDifference();
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

  async call(port: PortName, input: { readonly key: string }, call: PortCall): Promise<unknown> {
    this.#play();
    // After the first difference no more answers come.
    if (this.#difference) return forever();
    const { key } = input;
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
    const difference = firstDifference(expected.entry.input, input);
    if (difference) {
      this.#differ(
        `${callInWords(port, key)} differs ${describeDifference(difference)}`,
        expected.at,
      );
      return forever();
    }
    this.#calls.delete(id);
    return new Promise((resolve, reject) => this.#open.set(id, { call, resolve, reject }));
  }

  line(): Promise<string | undefined> {
    this.#play();
    return new Promise((resolve) => {
      this.#resolveLine = resolve;
    });
  }

  async finish(): Promise<void> {
    this.#play();
    await this.#playing;
    this.#throwDifference();
  }

  #throwDifference(): void {
    if (this.#difference) throw this.#difference;
  }

  #play(): void {
    this.#playing ??= this.#playAll();
  }

  async #playAll(): Promise<void> {
    for (;;) {
      await settle();
      if (this.#difference) return;
      const entry = this.#recorded.entries[this.#next] as InboundEntry;
      const missing = [...this.#calls.values(), ...this.#reads];
      const first = missing.toSorted((one, other) => one.at - other.at)[0];
      if (first) {
        this.#differ(`the run does not ask for it any more: ${this.#expected(first.at)}`, first.at);
        return;
      }
      if (entry.type === 'end') {
        this.stop.abort();
        return;
      }
      const deliver = this.#deliveryOf(entry);
      if (!deliver) {
        this.#differ(`nothing waits for it any more: ${this.#expected(this.#next)}`, this.#next);
        return;
      }
      this.#expectFrom(this.#next + 1);
      deliver();
    }
  }

  /** Returns a function that delivers an inbound entry to the run; undefined when the run does not wait for it. */
  #deliveryOf(entry: InboundEntry): (() => void) | undefined {
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
        return open && (() => open.reject(toPortError(entry.port, entry.thrown)));
      }
      case 'said':
      case 'left': {
        const resolve = this.#resolveLine;
        this.#resolveLine = undefined;
        return resolve && (() => resolve(entry.type === 'said' ? entry.text : undefined));
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

  /** Advances to the next inbound entry, and collects the requests that the run must make before it. */
  #expectFrom(start: number): void {
    const { entries } = this.#recorded;
    this.#calls = new Map();
    this.#reads = [];
    for (let at = start; ; at += 1) {
      const entry = entries[at]!;
      if (entry.type === 'call') this.#calls.set(idOf(entry.port, entry.key), { at, entry });
      else if (isRead(entry)) this.#reads.push({ at, entry });
      else {
        this.#next = at;
        return;
      }
    }
  }

  /** Describes the entry at an index, as the second half of a sentence. */
  #expected(at = this.#next): string {
    const entry = this.#recorded.entries[at]!;
    return entry.type === 'end'
      ? 'the recording ends there'
      : `the recording has ${inShort(entry)}`;
  }

  /** Keeps only the first difference, because later ones follow from it. */
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

function requireFormat({ name, header }: RecordedRun, { format }: Chart): void {
  if (header.format === format) return;
  throw new RecordingError(
    'recording/unusable',
    `"${name}" records a definition of the format ${JSON.stringify(header.format)}, and this definition has the format "${format}".`,
    'Replay it with the definition that was recorded.',
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
      return `a read of ${readInWords[entry.type]} there`;
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
      return 'the end of the lines of the person there';
    case 'event':
      return `an event "${entry.event.type}" from outside there`;
    case 'stopped':
      return 'the caller stopping the run there';
    case 'end':
      return 'its end there';
  }
}

function forever(): Promise<never> {
  return new Promise(() => {});
}
