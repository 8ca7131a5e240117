import { DramaturgError } from '../error.ts';
import { isRecord } from '../json.ts';
import type { PortName, Usage } from './contract.ts';

export type PortErrorCode =
  | 'port/not-provided'
  | 'port/bad-input'
  | 'port/bad-output'
  | 'port/failed'
  /** The port says that the failure is temporary. A tool call is repeated only after this failure. */
  | 'port/temporary'
  /** The same call would be refused again: its key, its input or the configuration of the port must change. */
  | 'port/refused'
  /** The port did not answer in time. */
  | 'port/timed-out'
  /** A limit of the user forbids the call or its answer: it took too long, or cost too much. */
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
  /** The cost of the call in spite of the failure. */
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
