import { DamageError } from '../damage-error.ts';

/** The rows of one record are damaged. It names the record, because one query reads rows of many records. */
export class RecordDamageError extends DamageError {
  override readonly name = 'RecordDamageError';
  /** The id of the record. */
  readonly id: string;
  /**
   * A page could not be read. SQLite does not tell a device that failed once from a page that is lost, so the record is not set
   * aside: the next call reads it again.
   */
  readonly mayPass: boolean;

  constructor(
    id: string,
    message: string,
    { cause, mayPass = false }: { readonly cause?: unknown; readonly mayPass?: boolean } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.id = id;
    this.mayPass = mayPass;
  }
}
