import { DramaturgError } from '@dramaturg/compiler';

/** Handlers that only read run beside a step, and see what it has written so far. Reading again soon helps. */
export class BeingWrittenError extends DramaturgError<'restate/being-written'> {
  override readonly name = 'BeingWrittenError';

  constructor() {
    super('restate/being-written', 'The instance was being written while it was read.');
  }
}
