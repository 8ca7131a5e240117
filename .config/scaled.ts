/** Whether the long tests run too: `npm run test:all`. */
export const runsAll = process.env['DRAMATURG_TEST_ALL'] === '1';

/** How often a test tries something, or how much it takes: the given count in `npm run test:all`, a tenth of it in `npm test`. */
export function scaled(count: number): number {
  return runsAll ? count : Math.ceil(count / 10);
}

/** What a test goes through: all in `npm run test:all`, every tenth in `npm test`. */
export function sampled<Item>(items: readonly Item[]): readonly Item[] {
  return runsAll ? items : items.filter((_, index) => index % 10 === 0);
}
