import { RequestError } from '../failure.ts';

export type TokensErrorCode =
  | 'access/tokens-unreadable'
  | 'access/tokens-invalid'
  | 'access/tokens-writable'
  | 'access/tokens-busy'
  | 'access/token-exists'
  | 'access/token-unknown';

/** A file of tokens cannot be used or changed. The message about an invalid one lists mistakes with their positions. */
export class TokensError extends RequestError<TokensErrorCode> {
  override readonly name = 'TokensError';
}
