/**
 * When a store on this machine makes the device write.
 *
 * In all three a write whose promise has fulfilled survives the death of the process, however it dies: the system has
 * it. They differ in what a power cut, or a crash of the system, takes away. In all three a record is afterwards as
 * some write of it left it, whole, or it is found damaged and set aside; it is never a mixture.
 *
 * - `always`: nothing but the receipts of the last tenth of a second, after which their letters go out again under the
 *   same ids (see `Store.acknowledge`). The promise of any other write fulfils when the device has it. Writes made at
 *   the same time share flushes. H1 and H2 hold in a power cut.
 * - `batch`: the last tenth of a second. The promise fulfils when the system has the write, and the device follows
 *   within 100 ms. A letter may then have left whose record does not know of it: H1 and H2 hold but for that tenth.
 * - `never`: whatever the system had not written yet, by default some 30 seconds on Linux. A file that was being
 *   replaced may be found empty, and its record is set aside. For tests, and for what can be made again.
 */
export type FsyncMode = 'always' | 'batch' | 'never';

/** Milliseconds within which `batch` flushes. */
export const batchIntervalMs = 100;
