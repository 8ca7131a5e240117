/**
 * The base of every error of this project. Its class or its `code` identifies an error.
 *
 * Invariant: `name` is the name of the class. Each class writes it out, because minifiers shorten class names.
 */
export abstract class DramaturgError<Code extends string = string> extends Error {
  abstract override readonly name: string;
  /** Stable, in the form `area/what-is-wrong`. */
  readonly code: Code;

  constructor(code: Code, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
