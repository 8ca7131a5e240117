/** What an erase has deleted, in numbers. It has no personal data: it may be kept as evidence. */
export interface ErasureReceipt {
  /** Conversations and runs, including copies and the instances that they have called as agents. */
  readonly instances: number;
  /** How many of them were running, and were ended. */
  readonly ended: number;
  /** Lines of transcripts and journals. */
  readonly lines: number;
  readonly savePoints: number;
  /** Memories that were deleted, or that have lost the part of these instances. */
  readonly memories: number;
  /** Damaged records of the store. Nobody can read whom they belong to: repair or delete them, then erase again. */
  readonly unreadable: number;
  /** Size of the store. */
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  /** What may remain of the deleted bytes, and where, in sentences for people. Absent when nothing remains in the store. */
  readonly remains?: string | undefined;
}
