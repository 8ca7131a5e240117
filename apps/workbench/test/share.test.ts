import { deflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { fromHash, toHash } from '../src/playground/share.ts';

test('an address holds a definition with its file name', async () => {
  const shared = { text: '{ "title": "Größe – 大きさ" }'.repeat(50), fileName: 'größe.plan.json' };
  const hash = await toHash(shared);
  expect(hash).toMatch(/^#definition=[\w-]+$/);
  expect(hash.length).toBeLessThan(250);
  expect(await fromHash(hash)).toEqual(shared);
});

test('an address without a definition is read as undefined', async () => {
  for (const hash of ['', '#', '#elsewhere']) expect(await fromHash(hash)).toBeUndefined();
});

test('a damaged address cannot be read', async () => {
  const values = ['null', '7', '{}', '{ "text": 7 }', '{ "text": "{}" '].map(packed);
  for (const hash of ['#definition=', '#definition=%%%', '#definition=abc', ...values])
    await expect(fromHash(hash)).rejects.toThrow('cannot be read');
});

test('a file name that is not a text is ignored', async () => {
  expect(await fromHash(packed('{ "text": "{}", "fileName": 5 }'))).toEqual({ text: '{}' });
});

test('a short address that unpacks to very many bytes is neither read nor made', async () => {
  const shared = { text: ' '.repeat(3_000_000) };
  const hash = packed(JSON.stringify(shared));
  expect(hash.length).toBeLessThan(10_000);
  await expect(fromHash(hash)).rejects.toThrow('cannot be read');
  await expect(toHash(shared)).rejects.toThrow('too long for an address');
});

/** An address that contains any text, valid or not. */
function packed(text: string): string {
  return `#definition=${deflateRawSync(text).toString('base64url')}`;
}
