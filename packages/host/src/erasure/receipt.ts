/** The counts of an erase. They contain no personal data, so they may be kept as evidence. */
export interface ErasureReceipt {
  /** Conversations and runs, including copies and the instances that they have called as agents. */
  readonly instances: number;
  /** How many of them were running, and were ended. */
  readonly ended: number;
  /** Lines of transcripts and journals. */
  readonly lines: number;
  readonly savePoints: number;
  /** Memories that were deleted, or from which the part of these instances was removed. */
  readonly memories: number;
  /** Files that the contact has sent, and texts of voice messages. Absent when there were none. */
  readonly files?: number;
  /** Damaged records of the store. Their contact cannot be read: repair or delete them, then erase again. */
  readonly unreadable: number;
  /** Size of the store. */
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  /** The deleted bytes that may remain, and where, in sentences for people. Absent when nothing remains in the store. */
  readonly remains?: string | undefined;
}
