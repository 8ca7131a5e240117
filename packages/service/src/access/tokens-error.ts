import { RequestError } from '../failure.ts';

export type TokensErrorCode =
  | 'access/tokens-unreadable'
  | 'access/tokens-invalid'
  | 'access/tokens-writable'
  | 'access/tokens-busy'
  | 'access/token-exists'
  | 'access/token-unknown';

/** A token file cannot be used or changed. For an invalid file, the message lists the mistakes with their positions. */
export class TokensError extends RequestError<TokensErrorCode> {
  override readonly name = 'TokensError';
}
