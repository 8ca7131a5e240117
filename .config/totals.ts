/** How many tests there were. */
export interface Totals {
  passed: number;
  failed: number;
  skipped: number;
}

/** `12 passed, 0 failed, 1 skipped` */
export function inOneLine({ passed, failed, skipped }: Totals): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
