import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DramaturgError } from '../src/index.ts';
import { ChartError } from '../src/entries/chart.ts';

const root = join(import.meta.dirname, '../../..');

/** Every class of the sources with the class that it extends. */
const parents = new Map(
  globSync('{packages/*,packages/channels/*,packages/formats/*,apps/*}/src/**/*.{ts,tsx}', {
    cwd: root,
  }).flatMap((file) =>
    [
      ...readFileSync(join(root, file), 'utf8').matchAll(
        /^(?:export )?(?:abstract )?class (\w+)(?:<[^{]*?>)? extends (\w+)/gm,
      ),
    ].map(([, name, parent]) => [name!, { parent: parent!, file }] as const),
  ),
);

const errorClasses = [...parents.keys()].filter((name) => isErrorClass(name));

test('the name of every error class ends in Error', () => {
  expect(errorClasses.length).toBeGreaterThan(15);
  expect(errorClasses.filter((name) => !name.endsWith('Error'))).toEqual([]);
});

test('every error class extends DramaturgError', () => {
  const others = errorClasses.filter((name) => !ancestorsOf(name).includes('DramaturgError'));
  expect(others.filter((name) => name !== 'DramaturgError')).toEqual([]);
});

test('an error has the name of its class, a code, a message and a cause', () => {
  const cause = new RangeError('No.');
  const error = new ChartError('chart/bad-layout', 'It is no chart.', { cause });

  expect(error).toBeInstanceOf(DramaturgError);
  expect(error).toMatchObject({ name: 'ChartError', code: 'chart/bad-layout', cause });
  expect(String(error)).toBe('ChartError: It is no chart.');
  expect(new ChartError('chart/bad-layout', 'It is no chart.')).not.toHaveProperty('cause');
});

function isErrorClass(name: string): boolean {
  return ancestorsOf(name).some((ancestor) => /^(?:\w*Error|Error)$/.test(ancestor));
}

function ancestorsOf(name: string): string[] {
  const parent = parents.get(name)?.parent;
  return parent === undefined ? [] : [parent, ...ancestorsOf(parent)];
}
