import { badRequest } from '@dramaturg/host/engine';
import { DramaturgError, InputError } from '@dramaturg/compiler';
import {
  HostError,
  type HostErrorCode,
  InstancesRunningError,
  StoreError,
  type StoreErrorCode,
} from '@dramaturg/host';
import { serde } from '@restatedev/restate-sdk';
import {
  connect,
  type Ingress as Connection,
  Opts,
  SendOpts,
} from '@restatedev/restate-sdk-clients';

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
  throw badRequest(`Restate cannot address ${JSON.stringify(key)}. Use another id or contact.`);
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

/** The outcome of a handler. An error that the caller has caused is an answer; only other errors make Restate call the handler again. */
export type Outcome<Value> = { readonly value: Value } | { readonly error: SentError };

/** An error that a caller has caused, in the form that is sent through Restate. */
interface SentError {
  readonly name: 'BeingWrittenError' | 'HostError' | 'InputError' | 'StoreError';
  readonly code: string;
  readonly message: string;
  readonly problems?: readonly string[];
  /** The instances of an `InstancesRunningError`. */
  readonly instances?: readonly string[];
}

/** Codes of errors that the same call would cause again. */
const ofCallers: readonly string[] = [
  'host/unknown-checkpoint',
  'host/unknown-decision',
  'host/unknown-instance',
  'host/unknown-definition',
  'host/exists',
  'host/bad-request',
  'host/unknown-option',
  'host/message-refused',
  'host/damaged',
  'host/cannot-erase',
] satisfies readonly HostErrorCode[];

/** Runs work of a handler. Errors that are not the caller's are thrown, and Restate tries again. */
export async function outcomeOf<Value>(work: () => Promise<Value>): Promise<Outcome<Value>> {
  try {
    return { value: await work() };
  } catch (error) {
    const sent = sentError(error);
    if (!sent) throw error;
    return { error: sent };
  }
}

/** @throws the error of the other side */
export function valueOf<Value>(outcome: Outcome<Value>): Value {
  // JSON has no undefined, so a missing value is valid.
  if (!('error' in outcome)) return outcome.value;
  const { name, code, message, problems = [], instances } = outcome.error;
  if (instances) throw new InstancesRunningError(instances);
  if (name === 'BeingWrittenError') throw new BeingWrittenError();
  if (name === 'InputError') throw new InputError(message, problems);
  if (name === 'StoreError') throw new StoreError(code as StoreErrorCode, message);
  throw new HostError(code as HostErrorCode, message);
}

function sentError(error: unknown): SentError | undefined {
  if (!(error instanceof DramaturgError)) return undefined;
  const { code, message } = error;
  if (error instanceof BeingWrittenError) return { name: 'BeingWrittenError', code, message };
  if (error instanceof InputError)
    return { name: 'InputError', code, message, problems: error.problems };
  if (error instanceof InstancesRunningError)
    return { name: 'HostError', code, message, instances: error.instances };
  if (error instanceof StoreError) return { name: 'StoreError', code, message };
  if (error instanceof HostError && ofCallers.includes(code))
    return { name: 'HostError', code, message };
  return undefined;
}

/** A read has seen a half-written step, because handlers that only read run in parallel with steps. A retry soon succeeds. */
export class BeingWrittenError extends DramaturgError<'restate/being-written'> {
  override readonly name = 'BeingWrittenError';

  constructor() {
    super('restate/being-written', 'The instance was being written while it was read.');
  }
}
