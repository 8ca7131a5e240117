import { sharedPostgres } from '@dramaturg/test-servers';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { booleanArray, floatArray, integerArray, textArray } from '../src/write/group-values.ts';
import { describeWithPostgres } from './place.ts';

describeWithPostgres('arrays of a group of writes', () => {
  let client: pg.Client;
  beforeAll(async () => {
    client = new pg.Client((await sharedPostgres()).createDatabase().url);
    await client.connect();
  });
  afterAll(() => client?.end());

  const same = <Item>(item: Item) => item;
  /** The array as the server reads it, as JSON. */
  const read = async (type: string, array: Buffer | null) => {
    const text = `SELECT to_json($1::${type}[])::text AS read`;
    const { rows } = await client.query<{ read: string }>(text, [array]);
    return rows[0]!.read;
  };

  test('whole numbers, up to the largest that are exact', async () => {
    const numbers = [
      0,
      1,
      -1,
      4_711,
      2 ** 31 - 1,
      2 ** 31,
      -(2 ** 31),
      -(2 ** 31) - 1,
      2 ** 32 - 1,
      2 ** 32,
      2 ** 32 + 1,
      -(2 ** 32),
      1_790_000_000_000,
      null,
      Number.MAX_SAFE_INTEGER,
      Number.MIN_SAFE_INTEGER,
    ];
    expect(JSON.parse(await read('bigint', integerArray(numbers, same)))).toEqual(numbers);
  });

  test('fractions', async () => {
    const numbers = [0, -0.5, 1_790_000_000_000.25, null, 1e300];
    expect(JSON.parse(await read('float8', floatArray(numbers, same)))).toEqual(numbers);
  });

  test('texts, also of characters that take several bytes', async () => {
    const texts = ['', 'a', null, 'Ünïcödé €', '🎭'.repeat(1_000), '{"a",\\}', null];
    expect(JSON.parse(await read('text', textArray(texts, same)))).toEqual(texts);
  });

  test('true and false', async () => {
    expect(await read('boolean', booleanArray([true, false, true], same))).toBe(
      '[true,false,true]',
    );
  });

  test('an array without values is null', () => {
    const none = [null, null];
    expect([integerArray([], same), integerArray(none, same)]).toEqual(none);
    expect([floatArray([], same), floatArray(none, same)]).toEqual(none);
    expect([textArray([], same), textArray(none, same)]).toEqual(none);
    expect(booleanArray([], same)).toBeNull();
  });
});
