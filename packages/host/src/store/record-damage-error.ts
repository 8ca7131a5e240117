import { DamageError } from './damage-error.ts';

/** The rows of one record are damaged. The error names the record, because one query reads rows of many records. */
export class RecordDamageError extends DamageError {
  override readonly name = 'RecordDamageError';
  /** The id of the record. */
  readonly id: string;
  /**
   * Whether the damage may be temporary: a page could not be read. The database does not distinguish a device that failed once
   * from a lost page, so the record is not set aside: the next call reads it again.
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
 * @param sum the stored checksum; null accepts the row
 * @param what the name of the row, as it follows "The" in the message
 * @throws `RecordDamageError`
 */
export function checkSum(id: string, sum: number | null, actual: () => number, what: string): void {
  if (sum === null || sum === actual()) return;
  throw new RecordDamageError(
    id,
    `The ${what} differs from what was written: the checksum does not match.`,
  );
}
