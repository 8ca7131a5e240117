import { DramaturgError } from '../error.ts';
import { isRecord } from '../json.ts';
import type { PortName, Usage } from './contract.ts';

export type PortErrorCode =
  | 'port/not-provided'
  | 'port/bad-input'
  | 'port/bad-output'
  | 'port/failed'
  /** The port says that the failure is temporary. A tool is called again after it, and after no other failure. */
  | 'port/temporary'
  /** The same call would be refused again: its key, its input or the set-up of the port has to be changed. */
  | 'port/refused'
  /** The port did not answer in time. */
  | 'port/timed-out'
  /** A limit of the user's does not allow the call, or its answer: it took too long, or too much. */
  | 'port/limit-reached';

/**
 * A port call that gave no answer. `cause` is what the port threw.
 *
 * @example
 * ```ts
 * const reply = async () => {
 *   throw new PortError('port/failed', 'reply', 'The model is overloaded.');
 * };
 * try {
 *   await reply();
 * } catch (error) {
 *   if (error instanceof PortError) console.log(error.port, error.code); // → reply port/failed
 * }
 * ```
 */
export class PortError extends DramaturgError<PortErrorCode> {
  override readonly name = 'PortError';
  readonly port: PortName;
  /** What the call has cost all the same. */
  readonly usage: Usage | undefined;

  constructor(
    code: PortErrorCode,
    port: PortName,
    message: string,
    options: { readonly cause?: unknown; readonly usage?: Usage | undefined } = {},
  ) {
    super(code, message, 'cause' in options ? { cause: options.cause } : {});
    this.port = port;
    this.usage = options.usage;
  }
}

/** Whether an error says that the same call may succeed later: it has `temporary: true`. */
export function isTemporary(error: unknown): boolean {
  return isRecord(error) && error['temporary'] === true;
}
