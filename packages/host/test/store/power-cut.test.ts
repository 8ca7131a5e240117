import { describe, expect, test } from 'vitest';
import { scaled } from '../../../../.config/scaled.ts';
import { cutAgainAndAgain } from './power-cuts.ts';

describe.each(['always', 'batch', 'never'] as const)('fsync: %s', (mode) => {
  test('after any power cut, every record opens and no promise is broken', async () => {
    const { SEED: only } = process.env;
    const seeds =
      only === undefined
        ? Array.from({ length: scaled(40) }, (_, index) => index + 1)
        : [Number(only)];
    for (const seed of seeds) {
      const run = cutAgainAndAgain(seed, mode);
      await expect(run, `the run with the seed ${seed}`).resolves.toBeUndefined();
    }
  });
});
