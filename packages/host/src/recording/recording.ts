import { DramaturgError, type EventObject, type Ports } from '@dramaturg/compiler';
import type { World } from '@dramaturg/compiler/machine';

/**
 * The boundary between a run and everything outside it. All requests of the run and all its inputs pass through it. `record`
 * writes both to a file; `replay` returns the recorded inputs and checks that the run makes the same requests.
 */
export interface Recording {
  /** Time and random values. */
  readonly world: (world: World) => World;
  /** The ports that answer the chart's calls, including `timer`. A replay needs none. */
  readonly ports: <Provided extends Partial<Ports>>(ports: Provided) => Provided;
  /** The next line of the person; undefined when there are no more. */
  readonly line: (next: () => Promise<string | undefined>) => Promise<string | undefined>;
  /** Sends events from outside. Call it once per run: a replay keeps only the last `send`. */
  readonly events: <Event extends EventObject>(
    send: (event: Event) => void,
  ) => (event: Event) => void;
  /** Aborted when the run must stop: the caller stopped it, or a replay reached its end or its first difference. */
  readonly stops: (signal: AbortSignal) => AbortSignal;
  /**
   * Call it when the run is over, also after a failure.
   *
   * @throws RecordingError `recording/differs` with the first difference between a replay and its recording
   * @throws the error of `write`, when the recording could not be written
   */
  readonly finish: () => Promise<void>;
}

/**
 * Records nothing. With it, code that records optionally has one path.
 *
 * @example
 * ```ts
 * const recording = process.env['RECORD']
 *   ? record({ write: console.log, chart: pricing.chart!, input: {} })
 *   : unrecorded;
 * const ports = recording.ports({ runAgent: async () => ({ result: 40 }) });
 * console.log((await toPromise(createActor(providePorts(pricing.machine!, ports)).start())).output); // → 40
 * await recording.finish();
 * ```
 */
export const unrecorded: Recording = {
  world: (world) => world,
  ports: (ports) => ports,
  line: (next) => next(),
  events: (send) => send,
  stops: (signal) => signal,
  finish: async () => {},
};

type RecordingErrorCode =
  /** The file is not a recording, is cut off or damaged, records something else, or cannot be written. */
  | 'recording/unusable'
  /** A run differs from its recording. */
  | 'recording/differs';

/**
 * Why a recording cannot be replayed, in one sentence, with the next thing to do.
 *
 * @example
 * ```ts
 * try {
 *   readRecording('not a recording', 'price.recording');
 * } catch (error) {
 *   if (error instanceof RecordingError) console.log(error.code); // → recording/unusable
 * }
 * ```
 */
export class RecordingError extends DramaturgError<RecordingErrorCode> {
  override readonly name = 'RecordingError';
  readonly hint: string;
  /** The line of the file, counted from 1, if the error is about one. */
  readonly line: number | undefined;

  constructor(code: RecordingErrorCode, message: string, hint: string, line?: number) {
    super(code, message);
    this.hint = hint;
    this.line = line;
  }
}
