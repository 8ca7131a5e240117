import { DamageError } from '../damage-error.ts';

/** The rows of one record are damaged. */
export class RecordDamageError extends DamageError {
  override readonly name = 'RecordDamageError';
  /** Of the record. */
  readonly id: string;

  constructor(id: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.id = id;
  }
}
