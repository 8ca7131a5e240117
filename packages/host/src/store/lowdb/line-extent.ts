/** How far a file of lines counts: what is behind was being written when the process or the power went. */
export interface LineExtent {
  readonly lines: number;
  readonly bytes: number;
}

export const emptyExtent: LineExtent = { lines: 0, bytes: 0 };
