import { DramaturgError } from '@dramaturg/compiler';

export type HostErrorCode =
  /** The run has no save point of the name, or it has expired. */
  | 'host/unknown-checkpoint'
  /** Nobody waits for the decision. */
  | 'host/unknown-decision'
  /** No instance has the id. */
  | 'host/unknown-instance'
  /** The host has no definition of the name, or no longer the code behind the version that an instance is pinned to. */
  | 'host/unknown-definition'
  /** An instance has the id already. */
  | 'host/exists'
  /** What a person or a program gave does not fit: an id, an input, a message. */
  | 'host/bad-request'
  /** An option is misspelt, or does not exist: of the host, or of a start. */
  | 'host/unknown-option'
  /** The first message of a start cannot be taken, so nothing was started. */
  | 'host/message-refused'
  /** The host stops, or has stopped, and takes nothing more. */
  | 'host/stopped'
  /** What is stored of an instance cannot be gone on with. */
  | 'host/damaged'
  /** A subscriber did not keep up, and was let go. */
  | 'host/slow-subscriber';

/** What a host could not do. `cause` is what made it so. */
export class HostError extends DramaturgError<HostErrorCode> {
  override readonly name = 'HostError';
}
