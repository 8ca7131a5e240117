import { expect, test } from 'vitest';
import { fromHash, toHash } from '../src/playground/share.ts';

test('a definition survives the way through an address', async () => {
  const shared = { text: '{ "title": "Größe – 大きさ" }'.repeat(50), fileName: 'größe.plan.json' };
  const hash = await toHash(shared);
  expect(hash).toMatch(/^#definition=[\w-]+$/);
  expect(hash.length).toBeLessThan(250);
  expect(await fromHash(hash)).toEqual(shared);
});

test('an address that holds none, or one that is damaged, gives nothing', async () => {
  for (const hash of ['', '#', '#elsewhere', '#definition=', '#definition=%%%', '#definition=abc'])
    expect(await fromHash(hash)).toBeUndefined();
  const number = (await toHash({ text: 7 as never })).slice(1);
  expect(await fromHash(`#${number}`)).toBeUndefined();
});

test('a short address that unpacks to very much is not taken', async () => {
  const hash = await toHash({ text: ' '.repeat(3_000_000) });
  expect(hash.length).toBeLessThan(10_000);
  expect(await fromHash(hash)).toBeUndefined();
});
