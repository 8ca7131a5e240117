import type { Chart, JsonObject, Port, PortError, PortName, Ports } from '@dramaturg/compiler';
import { askPort, unprovided } from '@dramaturg/compiler/machine';
import { versionOf } from '../definitions/definition.ts';
import { type Entry, formVersion, type Header, portNames, type ReadEntry } from './entry.ts';
import { toRecordedError } from './recorded-error.ts';
import type { Recording } from './recording.ts';

export interface RecordOptions {
  /** Appends whole lines to the recording. */
  readonly write: (lines: string) => void;
  readonly chart: Chart;
  /** The actor's input. */
  readonly input: JsonObject;
  /** The person whom the recording is about. `eraseRecordings` finds a recording by it. */
  readonly contact?: string | undefined;
  /** The `busy` of a clock that advances by itself, such as `virtualClock`. */
  readonly busy?: Busy;
}

/**
 * Records a run. The header is written with the first entry, so a run that fails to start leaves no file.
 *
 * Owns: the lines that are not written yet, and the queue that processes inputs from outside one at a time.
 * States: recording → over (`finish`). After the first write error (`failed`) the run continues unrecorded and `finish`
 * throws that error.
 *
 * @example
 * ```ts
 * let written = '';
 * const recording = record({
 *   write: (lines) => (written += lines),
 *   chart: pricing.chart!,
 *   input: {},
 * });
 * const ports = recording.ports({ runAgent: async () => ({ result: 40 }) });
 * await toPromise(createActor(providePorts(pricing.machine!, ports)).start());
 * await recording.finish();
 * console.log(
 *   readRecording(written, 'price.recording')
 *     .entries.map(({ type }) => type)
 *     .join(', '),
 * ); // → call, answer, end
 * ```
 */
export function record({ write, chart, input, contact, busy }: RecordOptions): Recording {
  const inbound = new InboundQueue(busy);
  const head: Header = {
    type: 'recording',
    version: formVersion,
    format: chart.format,
    chart: versionOf(chart),
    ...(contact === undefined ? {} : { contact }),
    input,
  };
  let unwritten = `${JSON.stringify(head)}\n`;
  let isOver = false;
  let failed: { readonly error: unknown } | undefined;

  const append = (entry: Entry) => {
    if (!isOver) unwritten += `${JSON.stringify(entry)}\n`;
  };
  const flush = () => {
    const lines = unwritten;
    unwritten = '';
    if (lines === '' || failed) return;
    try {
      write(lines);
    } catch (error) {
      // A failed write must not disturb the run. `finish` throws the error.
      failed = { error };
    }
  };
  const enter = (entry: Entry, then: () => void = () => {}) =>
    inbound.add(() => {
      append(entry);
      flush();
      then();
    });
  const recordCalls =
    (port: PortName, answer: Port<PortName>): Port<PortName> =>
    async (question, call) => {
      const { key } = question;
      append({ type: 'call', port, key, input: question });
      flush();
      try {
        const output = await askPort(port, answer, question, {
          get signal() {
            return call.signal;
          },
          transcript: call.transcript,
          readAttachment: call.readAttachment,
          instance: call.instance,
          maxTokens: call.maxTokens,
          now: call.now,
          timeZone: call.timeZone,
          onText: (text) => void enter({ type: 'text', port, key, text }, () => call.onText(text)),
        });
        await enter({ type: 'answer', port, key, output });
        return output as never;
      } catch (error) {
        // `askPort` turns every error into a PortError.
        await enter({ type: 'failure', port, key, thrown: toRecordedError(error as PortError) });
        throw error;
      }
    };

  return {
    world: ({ now, random, uuid }) => ({
      now: () => recordRead('now', now()),
      random: () => recordRead('random', random()),
      uuid: () => recordRead('uuid', uuid()),
    }),
    ports: <Provided extends Partial<Ports>>(ports: Provided) =>
      Object.fromEntries(
        portNames.map((port) => [port, recordCalls(port, ports[port] ?? unprovided(port))]),
      ) as unknown as Provided,
    line: async (next) => {
      const text = await next();
      await enter(text === undefined ? { type: 'left' } : { type: 'said', text });
      return text;
    },
    events: (send) => (event) => void enter({ type: 'event', event }, () => send(event)),
    stops: (signal) => {
      const stop = new AbortController();
      const onAbort = () => void enter({ type: 'stopped' }, () => stop.abort(signal.reason));
      if (signal.aborted) onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      return stop.signal;
    },
    finish: async () => {
      if (isOver) return;
      await inbound.drained();
      append({ type: 'end' });
      isOver = true;
      flush();
      if (failed) throw failed.error;
    },
  };

  function recordRead<Value>(type: ReadEntry['type'], value: Value): Value {
    append({ type, value } as Entry);
    return value;
  }
}

/** Stops a clock while work is running: see `VirtualClock.busy`. */
type Busy = <Value>(work: Promise<Value>) => Promise<Value>;

/**
 * Processes inputs from outside one at a time, each after all effects of the previous one. This makes the order of events
 * reproducible: a recording and its replay have the same.
 */
class InboundQueue {
  readonly #busy: Busy;
  #last: Promise<unknown> = Promise.resolve();

  constructor(busy: Busy = (work) => work) {
    this.#busy = busy;
  }

  add(process: () => void): Promise<void> {
    const processed = this.#last.then(settle).then(process);
    this.#last = processed.catch(() => {});
    return this.#busy(processed);
  }

  /** Resolves once the queue is empty and the run has settled. */
  async drained(): Promise<void> {
    for (let last: unknown; last !== this.#last;) {
      last = this.#last;
      await this.#last;
      await settle();
    }
  }
}

/** Waits for pending promises: two turns of the event loop settle machines and ports that answer from memory. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
