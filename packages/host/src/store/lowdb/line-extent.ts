/** The valid part of a file of lines. Bytes behind it are an incomplete write, left by a crash, and are ignored. */
export interface LineExtent {
  readonly lines: number;
  readonly bytes: number;
}

export const emptyExtent: LineExtent = { lines: 0, bytes: 0 };
