import {
  type Context,
  type GenericSend,
  type InvocationHandle,
  serde,
  type Serde,
} from '@restatedev/restate-sdk';
import type { Target } from '../restate/ingress.ts';

/** Submits a call to Restate, as part of the step. */
export function send(
  context: Context,
  { service, key, handler: method }: Target,
  parameter: unknown,
  { delay, idempotencyKey }: Pick<GenericSend<unknown>, 'delay' | 'idempotencyKey'> = {},
): InvocationHandle {
  return context.genericSend({
    service,
    method,
    key,
    parameter,
    inputSerde: serde.json as Serde<unknown>,
    ...(delay === undefined ? {} : { delay }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  });
}
