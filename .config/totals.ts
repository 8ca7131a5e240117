/** The numbers of tests, and the messages of those that failed. */
export interface Totals {
  passed: number;
  failed: number;
  skipped: number;
  /** Each `file > name of the test`, with its errors in the lines below. */
  failures: string[];
  /** Each test that failed at first and passed when it was run again. Absent in runs without retries. */
  readonly flaky?: string[];
}

/** `12 passed, 0 failed, 1 skipped` */
export function inOneLine({ passed, failed, skipped }: Totals): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
