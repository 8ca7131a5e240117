/** A call that has failed and is made again. */
export interface RepeatedCall {
  /** How often it was made. */
  readonly attempt: number;
  /** When it is made again, milliseconds since 1970 UTC; null while it is being made. */
  readonly at: number | null;
  /** Why it has failed. */
  readonly error: string;
  readonly cause: string;
}
