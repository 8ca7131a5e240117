import { withoutSecrets } from './secrets/secrets.ts';
import { errorWithoutSecrets } from './secrets/error-without-secrets.ts';

/**
 * The base of every error of this project. Its class or its `code` identifies an error. Its message and its cause contain no
 * secrets, so code that stores, sends or prints it needs no care of its own.
 *
 * Invariant: `name` is the name of the class. Each class writes it out, because minifiers shorten class names.
 *
 * @example
 * ```ts
 * const host = await createHost({
 *   store: memoryStore(),
 *   definitions: { intake },
 *   ports: understudyPorts(),
 * });
 * try {
 *   await host.get('no-such-instance');
 * } catch (error) {
 *   if (error instanceof DramaturgError) console.log(error.name, error.code); // → HostError host/unknown-instance
 * }
 * await host.stop();
 * ```
 */
export abstract class DramaturgError<Code extends string = string> extends Error {
  abstract override readonly name: string;
  /** Stable, in the form `area/what-is-wrong`. */
  readonly code: Code;

  constructor(code: Code, message: string, options?: { readonly cause?: unknown }) {
    super(
      withoutSecrets(message),
      options && 'cause' in options ? { cause: errorWithoutSecrets(options.cause) } : undefined,
    );
    this.code = code;
  }
}
