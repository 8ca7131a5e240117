import { DamageError } from './damage-error.ts';

/** The rows of one record are damaged. It names the record, because one query reads rows of many records. */
export class RecordDamageError extends DamageError {
  override readonly name = 'RecordDamageError';
  /** The id of the record. */
  readonly id: string;
  /**
   * A page could not be read. The database does not tell a device that failed once from a page that is lost, so the record is not set
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

/**
 * Checks a row against its checksum.
 *
 * @param sum the checksum that is stored; null accepts the row
 * @param what the row, as it follows "The"
 * @throws `RecordDamageError`
 */
export function checkSum(id: string, sum: number | null, actual: () => number, what: string): void {
  if (sum === null || sum === actual()) return;
  throw new RecordDamageError(
    id,
    `The ${what} differs from what was written: the checksum does not match.`,
  );
}
