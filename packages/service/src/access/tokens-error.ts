import { DramaturgError } from '@dramaturg/compiler';

export type TokensErrorCode =
  | 'access/tokens-unreadable'
  | 'access/tokens-invalid'
  | 'access/tokens-writable'
  | 'access/tokens-busy'
  | 'access/token-exists'
  | 'access/token-unknown';

/** A file of tokens cannot be used or changed. The message about an invalid one lists mistakes with their positions. */
export class TokensError extends DramaturgError<TokensErrorCode> {
  override readonly name = 'TokensError';
  /** The next thing to do. */
  readonly hint: string | undefined;

  constructor(
    code: TokensErrorCode,
    message: string,
    { hint, ...options }: { readonly hint?: string; readonly cause?: unknown } = {},
  ) {
    super(code, message, options);
    this.hint = hint;
  }
}
