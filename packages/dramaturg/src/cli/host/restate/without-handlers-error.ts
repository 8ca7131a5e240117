import { DramaturgError } from '@dramaturg/compiler';
import type { RestateLocation } from './location.ts';

/** No handlers of a namespace are registered with a Restate. Commands add how to serve them: see `explainRestate`. */
export class WithoutHandlersError extends DramaturgError {
  override readonly name = 'WithoutHandlersError';

  constructor({ ingress, namespace }: RestateLocation) {
    super(
      'host/not-running',
      `Restate at ${ingress} has no handlers of the namespace "${namespace}".`,
    );
  }
}
