/**
 * When a store on this machine flushes writes to the device.
 *
 * In all modes, a write whose promise has fulfilled survives the death of the process, because the system has it. The modes
 * differ in what a power cut or a crash of the system loses. Afterwards a record is in the state after one of its writes, or it
 * is found damaged and set aside. It is never a mixture of two writes.
 *
 * - `always`: loses only the delivery receipts of the last 100 ms; their letters are sent again with the same ids (see
 *   `Store.acknowledge`). The promise of any other write fulfils when the device has it. Concurrent writes share flushes. H1 and
 *   H2 hold in a power cut.
 * - `batch`: loses the last 100 ms. The promise fulfils when the system has the write, and the flush follows within 100 ms. A
 *   letter of a lost write may already be sent: H1 and H2 do not hold for these 100 ms.
 * - `never`: loses the writes that the system had not flushed yet, about 30 s on Linux. A file that was being replaced may be
 *   empty, and its record is then set aside. For tests and reproducible data.
 */
export type FsyncMode = 'always' | 'batch' | 'never';

/** The longest delay of a deferred flush. */
export const batchIntervalMs = 100;
