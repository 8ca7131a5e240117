import { DramaturgError } from '@dramaturg/compiler';

export type RecordingErrorCode =
  /** The file is no recording, is cut off or damaged, is one of something else, or cannot take one. */
  | 'recording/unusable'
  /** A run does not go as it was recorded. */
  | 'recording/differs';

/** Why a recording cannot be replayed, in one sentence, with the next thing to do. */
export class RecordingError extends DramaturgError<RecordingErrorCode> {
  override readonly name = 'RecordingError';
  readonly hint: string;
  /** The line of the file, counted from 1, where there is one. */
  readonly line: number | undefined;

  constructor(code: RecordingErrorCode, message: string, hint: string, line?: number) {
    super(code, message);
    this.hint = hint;
    this.line = line;
  }
}
