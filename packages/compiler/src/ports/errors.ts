import type { PortName } from './contract.ts';

export type PortErrorCode =
  | 'port/not-provided'
  | 'port/bad-input'
  | 'port/bad-output'
  | 'port/failed';

/** A port call that gave no answer. `cause` is what the port threw. */
export class PortError extends Error {
  override readonly name = 'PortError';
  readonly code: PortErrorCode;
  readonly port: PortName;

  constructor(code: PortErrorCode, port: PortName, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.port = port;
  }
}
