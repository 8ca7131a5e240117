import { DramaturgError } from '@dramaturg/compiler';

export type RecordingErrorCode =
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
