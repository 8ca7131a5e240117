import { deflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { fromHash, toHash } from '../src/playground/share.ts';

test('a definition survives the way through an address', async () => {
  const shared = { text: '{ "title": "Größe – 大きさ" }'.repeat(50), fileName: 'größe.plan.json' };
  const hash = await toHash(shared);
  expect(hash).toMatch(/^#definition=[\w-]+$/);
  expect(hash.length).toBeLessThan(250);
  expect(await fromHash(hash)).toEqual(shared);
});

test('an address without a definition holds none', async () => {
  for (const hash of ['', '#', '#elsewhere']) expect(await fromHash(hash)).toBeUndefined();
});

test('a definition in an address that is damaged cannot be read', async () => {
  const values = ['null', '7', '{}', '{ "text": 7 }', '{ "text": "{}" '].map(packed);
  for (const hash of ['#definition=', '#definition=%%%', '#definition=abc', ...values])
    await expect(fromHash(hash)).rejects.toThrow('cannot be read');
});

test('a name of a file that is no text is left out', async () => {
  expect(await fromHash(packed('{ "text": "{}", "fileName": 5 }'))).toEqual({ text: '{}' });
});

test('a short address that unpacks to very much is not taken, nor made', async () => {
  const shared = { text: ' '.repeat(3_000_000) };
  const hash = packed(JSON.stringify(shared));
  expect(hash.length).toBeLessThan(10_000);
  await expect(fromHash(hash)).rejects.toThrow('cannot be read');
  await expect(toHash(shared)).rejects.toThrow('too long for an address');
});

/** An address that holds any text, whether Share would make it or not. */
function packed(text: string): string {
  return `#definition=${deflateRawSync(text).toString('base64url')}`;
}
