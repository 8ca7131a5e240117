/** Thrown where rows do not hold what was written. The message is a sentence for the person who looks at it. */
export class Damage extends Error {
  override readonly name = 'Damage';
  /** Of the record. */
  readonly id: string;

  constructor(id: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.id = id;
  }
}
