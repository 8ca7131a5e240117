import { DramaturgError } from '@dramaturg/compiler';

/** A read has seen a half-written step, because handlers that only read run in parallel with steps. A retry soon succeeds. */
export class BeingWrittenError extends DramaturgError<'restate/being-written'> {
  override readonly name = 'BeingWrittenError';

  constructor() {
    super('restate/being-written', 'The instance was being written while it was read.');
  }
}
