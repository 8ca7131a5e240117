import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { beyond, findingsOf, mutationsOf, notForPeople, slip, valueAt } from './mutate.ts';
import { sampled } from '../../../../.config/scaled.ts';

/** One mistake in a clean definition gives at most one error or warning, written for people. */
const formats = join(import.meta.dirname, '../../../formats');

/** Fixtures that use all fields of their format. */
const clean = [
  'plan/{intake,goal,routing,skipping,thresholds}',
  'npc/{lighthouse,ferry,night-watch}',
]
  .flatMap((pattern) => {
    const [format = '', names = ''] = pattern.split('/');
    return globSync(`${format}/test/fixtures/${names}/*.${format}.json`, { cwd: formats });
  })
  .map((path) => {
    const definition: unknown = JSON.parse(readFileSync(join(formats, path), 'utf8'));
    const format = path.split(/[\\/]/)[0]!;
    return { name: basename(path), format, definition, found: findingsOf(definition, format) };
  });

describe.each(clean)('$name', ({ format, definition, found }) => {
  test('has at most one more finding with one mistake', () => {
    const several = sampled(mutationsOf(definition)).flatMap((mutation) => {
      const more = beyond(found, findingsOf(mutation.definition, format));
      return more.length > 1
        ? [
            `${mutation.path.join('.')} ${mutation.name}: ${more.map(({ code }) => code).join(', ')}`,
          ]
        : [];
    });
    expect(several).toEqual([]);
  });

  test('has no texts of a schema library with one mistake', () => {
    const odd = sampled(mutationsOf(definition)).flatMap((mutation) =>
      findingsOf(mutation.definition, format).filter(({ words }) => notForPeople.test(words)),
    );
    expect(odd).toEqual([]);
  });
});

test('a random change of a random text gives at most one more finding', () => {
  const texts = clean.flatMap((one) =>
    mutationsOf(one.definition)
      .filter(({ name }) => name === 'with a slip in it')
      .map(({ path }) => ({ ...one, path })),
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...texts),
      fc.oneof(fc.string({ minLength: 1 }), fc.constant(undefined)),
      ({ definition, format, found, path }, text) => {
        const changed = structuredClone(definition);
        const holder = valueAt(changed, path.slice(0, -1)) as Record<string | number, unknown>;
        const written = String(holder[path.at(-1)!]);
        holder[path.at(-1)!] = text ?? slip(written);
        expect(beyond(found, findingsOf(changed, format)).length).toBeLessThanOrEqual(1);
      },
    ),
  );
});
