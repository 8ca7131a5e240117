import { DramaturgError } from '@dramaturg/compiler';

/** Expectations that do not hold, or steps that cannot be carried out: one sentence for each. */
export class PlayError extends DramaturgError<'test/failed'> {
  override readonly name = 'PlayError';

  constructor(message: string) {
    super('test/failed', message);
  }
}
