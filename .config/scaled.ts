/** Whether the long tests run too: `npm run test:all`. */
export const runsAll = process.env['DRAMATURG_TEST_ALL'] === '1';

const tenths = 10 * Number(process.env['DRAMATURG_TEST_SCALE'] ?? (runsAll ? 0.3 : 0.1));

/**
 * Scales a number of repetitions or items: three tenths of it in `npm run test:all`, a tenth in `npm test`, and this many times
 * the count with `DRAMATURG_TEST_SCALE`.
 */
export function scaled(count: number): number {
  return Math.ceil((count * tenths) / 10);
}

/** Selects the cases of a test: every third in `npm run test:all`, or all of up to thirty; every tenth in `npm test`. */
export function sampled<Item>(items: readonly Item[]): readonly Item[] {
  const step = !runsAll ? 10 : items.length > 30 ? 3 : 1;
  return items.filter((_, index) => index % step === 0);
}

/** Cases that only `npm run test:all` has. */
export function inAll<Item>(...items: readonly Item[]): readonly Item[] {
  return runsAll ? items : [];
}
