import { check } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { formats } from '../../src/known-formats.ts';
import { basesOf } from './mutants.ts';
import { Random } from './random.ts';
import { type Slip, slipsIn } from './slips.ts';
import { inAll, runsAll, scaled } from '../../../../.config/scaled.ts';

/** One slip of a person gives at most one error. Tries a sample of the slips of each kind. */
const triesEvery = runsAll ? 30 : 50;

/**
 * Slips that may give more errors: a wrong layout makes each of its parts wrong, several places may need a missing part,
 * and a misspelt name of two letters is not recognised.
 */
function mayGiveMore({ done, path }: Slip): boolean {
  return /^(?:as a list|as an object|left out)$/.test(done) || String(path.at(-1)).length < 4;
}

test.each(['asl', ...inAll('lifecycle'), 'context-graph'])(
  '%s: one slip gives one error at most',
  (format) => {
    const several: string[] = [];
    let tried = 0;
    for (const { name, value, options } of basesOf(format)) {
      const errorsOf = (definition: unknown) =>
        check(JSON.stringify(definition), {
          formats,
          format,
          fileName: 'slip.json',
          options,
        }).diagnostics.filter(({ severity }) => severity === 'error');
      if (errorsOf(value).length > 0) continue;
      for (const [index, slip] of slipsIn(value, new Random(1)).entries()) {
        if (index % triesEvery !== 0 || mayGiveMore(slip)) continue;
        tried += 1;
        const errors = errorsOf(slip.value).map(({ code, path }) => `${code} ${path.join('.')}`);
        if (errors.length > 1)
          several.push(`${name} ${slip.path.join('.')} ${slip.done}: ${errors.join(', ')}`);
      }
    }
    expect(several).toEqual([]);
    expect(tried).toBeGreaterThan(scaled(50));
  },
);
