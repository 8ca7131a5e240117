import { DamageError } from '../damage-error.ts';

/** The rows of one record are damaged. It names the record, because one query reads rows of many records. */
export class RecordDamageError extends DamageError {
  override readonly name = 'RecordDamageError';
  /** The id of the record. */
  readonly id: string;

  constructor(id: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.id = id;
  }
}
