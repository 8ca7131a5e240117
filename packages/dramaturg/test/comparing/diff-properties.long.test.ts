import { compareDefinitions, type DefinitionChange } from '@dramaturg/compiler/chart';
import { expect, test } from 'vitest';
import { check } from '../../src/compile.ts';
import { formatNamed, formats } from '../../src/known-formats.ts';
import { basesOf, mutantOf } from '../mutations/mutants.ts';
import { Random } from '../mutations/random.ts';
import { yamlOf } from '../mutations/text.ts';
import { scaled } from '../../../../.config/scaled.ts';

/** Properties of comparisons, over the fixtures and random changes of them. A fault starts with the seed of its mutant. */
const count = Number(process.env['DRAMATURG_MUTANTS'] ?? scaled(400));
const names = formats.map(({ name }) => name);

test.each(names)('%s: formatting and the order of keys are no difference', (format) => {
  const random = new Random(7);
  for (const { name, value, options } of basesOf(format)) {
    const one = check(JSON.stringify(value), { format, options });
    if (!one.chart) continue;
    const shuffled = check(yamlOf(shuffledKeys(value, random)), {
      format,
      options,
      fileName: 'other.yaml',
    });
    expect({ name, changes: changesOf(one, shuffled, format) }).toEqual({ name, changes: [] });
  }
});

test.each(names)('%s: a change that makes another machine is found and named', (format) => {
  const bases = basesOf(format);
  const checked = new Map(
    bases.map(({ name, value, options }) => [
      name,
      check(JSON.stringify(value), { format, options }),
    ]),
  );
  const faults: string[] = [];
  let different = 0;
  for (let seed = 0; seed < count; seed += 1) {
    const { text, fileName, options, history } = mutantOf(bases, seed);
    const base = bases.find(({ name }) => history.startsWith(`${seed}: ${name}`))!;
    const before = checked.get(base.name)!;
    const after = check(text, { format, fileName, options });
    if (!before.chart || !after.chart) continue;
    const changes = changesOf(before, after, format);
    const isSame = machineOf(before.chart) === machineOf(after.chart);
    if (!isSame) different += 1;
    if (!isSame && changes.length === 0) faults.push(`${history}: no change is found`);
    if (changes.some((each) => each.change === 'changed' && each.field === 'compiled machine'))
      faults.push(`${history}: the change has no name`);
    const back = changesOf(after, before, format);
    const [forth, inverse] = [kindsOf(changes), kindsOf(back.map(inverseOf))];
    if (JSON.stringify(forth) !== JSON.stringify(inverse))
      faults.push(
        `${history}: ${JSON.stringify(forth)} is not the inverse of ${JSON.stringify(inverse)}`,
      );
  }
  expect(faults).toEqual([]);
  expect(different).toBeGreaterThan(count / 200);
});

type Definition = ReturnType<typeof check>;

function changesOf(before: Definition, after: Definition, format: string) {
  return compareDefinitions(before, after, formatNamed(format)!.outline);
}

function machineOf(chart: object): string {
  return JSON.stringify(chart, (key, value: unknown) => {
    if (key === 'origin') return undefined;
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  });
}

/** The kinds of changes of each noun. Which of two swapped parts has moved is not determined. */
function kindsOf(changes: readonly DefinitionChange[]): readonly string[] {
  return changes
    .map((each) => {
      const field = each.change === 'changed' ? each.field : '';
      return `${each.change} ${each.part.at(-1)?.noun ?? ''} ${field}`;
    })
    .toSorted();
}

function inverseOf(change: DefinitionChange): DefinitionChange {
  const inverse = { added: 'removed', removed: 'added' } as Record<string, string>;
  return { ...change, change: inverse[change.change] ?? change.change } as DefinitionChange;
}

function shuffledKeys<Value>(value: Value, random: Random, key?: string): Value {
  if (Array.isArray(value)) return value.map((item) => shuffledKeys(item, random)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  // Context graphs show models their states in this order.
  if (key === 'states') return value;
  const entries = Object.entries(value).map(([name, item]) => [
    name,
    shuffledKeys(item, random, name),
  ]);
  for (let last = entries.length - 1; last > 0; last -= 1) {
    const other = random.below(last + 1);
    [entries[last], entries[other]] = [entries[other]!, entries[last]!];
  }
  return Object.fromEntries(entries) as Value;
}
