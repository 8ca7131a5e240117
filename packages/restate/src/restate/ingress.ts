import { HostError } from '@dramaturg/host';
import { serde } from '@restatedev/restate-sdk';
import {
  connect,
  type Ingress as Connection,
  Opts,
  SendOpts,
} from '@restatedev/restate-sdk-clients';
import { type Outcome, valueOf } from './outcome.ts';

/** A handler of a virtual object. */
export interface Target {
  readonly service: string;
  readonly key: string;
  readonly handler: string;
}

const input = serde.json as never;

/** @throws HostError `host/bad-request` for a key that would change the path as a segment of a URL */
function requireAddressable(key: string): void {
  if (key !== '.' && key !== '..') return;
  throw new HostError(
    'host/bad-request',
    `Restate cannot address ${JSON.stringify(key)}. Use another id or contact.`,
  );
}

/** Calls handlers from outside Restate. */
export class Ingress {
  readonly #connection: Connection;

  /** @param url such as `http://localhost:8080` */
  constructor(url: string) {
    this.#connection = connect({ url });
  }

  /**
   * Calls a handler, and waits until it has ended.
   *
   * @throws the error that the handler has answered with; `HttpCallError` of the client when Restate cannot be reached
   */
  async call<Value>(target: Target, parameter: unknown): Promise<Value> {
    requireAddressable(target.key);
    const outcome = await this.#connection.call<unknown, Outcome<Value>>({
      ...target,
      parameter,
      opts: Opts.from<unknown, Outcome<Value>>({ input, output: serde.json as never }),
    });
    return valueOf(outcome);
  }

  /** Submits a call to Restate. Fulfils when Restate has stored it. */
  async send(target: Target, parameter: unknown): Promise<void> {
    requireAddressable(target.key);
    await this.#connection.send({ ...target, parameter, opts: SendOpts.from({ input }) });
  }
}
