import type { Attributes } from '@opentelemetry/api';

/**
 * Changes a value before it is exported.
 *
 * @returns the value to export; undefined leaves the attribute out
 */
export type Redact = (
  attribute: string,
  value: string,
  where: { readonly instance: string },
) => string | undefined;

export interface ContentOptions {
  /** Whether texts and data of people, models and agents are exported. False when left out. */
  readonly content?: boolean;
  readonly redact?: Redact;
}

/** The maximum length of an attribute's value, in UTF-16 units. */
const lengthMax = 32_768;

/** Decides which texts and data leave the process. */
export class Content {
  readonly #options: ContentOptions;

  constructor(options: ContentOptions) {
    this.#options = options;
  }

  /** Whether content is exported at all. */
  get isOn(): boolean {
    return this.#options.content === true;
  }

  /** An attribute with content; none unless content is exported. A value that is not a string is exported as JSON. */
  attribute(instance: string, name: string, value: unknown): Attributes {
    if (!this.isOn || value === undefined || value === null) return {};
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const { redact } = this.#options;
    let kept: string | undefined = text;
    if (redact) {
      try {
        kept = redact(name, text, { instance });
      } catch {
        // A value that could not be redacted is not exported.
        kept = undefined;
      }
    }
    if (typeof kept !== 'string') return {};
    return { [name]: kept.length > lengthMax ? `${kept.slice(0, lengthMax)}…` : kept };
  }

  /** The message of an error, which may repeat what a person or a model wrote. */
  message(instance: string, because: unknown): { readonly message?: string } {
    const { [errorMessage]: message } = this.attribute(instance, errorMessage, because);
    return typeof message === 'string' ? { message } : {};
  }
}

const errorMessage = 'error.message';
