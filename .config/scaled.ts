/** Whether the long tests run too: `npm run test:all`. */
export const runsAll = process.env['DRAMATURG_TEST_ALL'] === '1';

const scale = Number(process.env['DRAMATURG_TEST_SCALE'] ?? (runsAll ? 1 : 0.1));

/**
 * Scales a number of repetitions or items: the given count in `npm run test:all`, a tenth of it in `npm test`, and this many
 * times the count with `DRAMATURG_TEST_SCALE`.
 */
export function scaled(count: number): number {
  return Math.ceil(count * scale);
}

/** Selects the cases of a test: all in `npm run test:all`, every tenth in `npm test`. */
export function sampled<Item>(items: readonly Item[]): readonly Item[] {
  return runsAll ? items : items.filter((_, index) => index % 10 === 0);
}
