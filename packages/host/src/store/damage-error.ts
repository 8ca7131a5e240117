import { DramaturgError } from '@dramaturg/compiler';

/** Stored data of one record differs from what was written. The message is a sentence for an operator. */
export class DamageError extends DramaturgError<'store/damaged'> {
  override readonly name: string = 'DamageError';

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super('store/damaged', message, options);
  }
}
