import { DramaturgError, InputError } from '@dramaturg/compiler';
import {
  HostError,
  type HostErrorCode,
  InstancesRunningError,
  StoreError,
  type StoreErrorCode,
} from '@dramaturg/host';
import { BeingWrittenError } from './being-written-error.ts';

/** How a handler has ended. An error of a caller is an answer, and only trouble makes Restate call the handler again. */
export type Outcome<Value> = { readonly value: Value } | { readonly error: SentError };

/** An error that a caller has caused, as it travels through Restate. */
export interface SentError {
  readonly name: 'BeingWrittenError' | 'HostError' | 'InputError' | 'StoreError';
  readonly code: string;
  readonly message: string;
  readonly problems?: readonly string[];
  /** Of an `InstancesRunningError`. */
  readonly instances?: readonly string[];
}

/** Codes of errors that the same call would give again. */
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
  // JSON has no undefined.
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
