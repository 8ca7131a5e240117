import { afterAll, beforeAll, expect, test } from 'vitest';
import { runsAll, scaled } from '../../../../.config/scaled.ts';
import { EditorClient } from './editor-client.ts';

const workflow = '{ "StartAt": "A", "States": { "A": { "Type": "Pass", "Next": "B" } } }';
const requests = ['completion', 'hover', 'definition', 'documentSymbol'] as const;
const nothing = { completion: [], hover: null, definition: null, documentSymbol: [] };

let client: EditorClient;
beforeAll(async () => {
  client = await EditorClient.start();
});
afterAll(() => client.stop());

async function answers(of: string, line = 0, character = 0) {
  const found = requests.map(async (name) => [
    name,
    await client.ask<unknown>(name, of, { line, character }),
  ]);
  return Object.fromEntries(await Promise.all(found)) as Record<string, unknown>;
}

test.each(['file:///never/opened.plan.json', 'not a uri', 'file://host/%zz.asl.json', ''])(
  'the unknown document "%s" gets empty answers',
  async (unknown) => {
    expect(await answers(unknown)).toEqual(nothing);
  },
);

test.each([
  ['file:///project/package.json', '{ "name": "x", "version": "1.0.0", "scripts": {} }'],
  ['file:///project/compose.yaml', 'services:\n  web: { image: nginx }\n'],
  ['file:///project/broken.json', '{ "name": '],
  ['file:///project/empty.yaml', ''],
  ['file:///project/readme.md', '# States\n\nStartAt: here'],
])('%s is not a definition: it has no mistakes and empty answers', async (other, text) => {
  await client.open(other, text);
  expect(await client.mistakes(other)).toEqual([]);
  expect(await answers(other, 0, 3)).toEqual(nothing);
});

test('an open document with a wrong URI is checked as a text without a file', async () => {
  await client.open('file://host/%zz.asl.json', workflow);
  const found = await client.mistakes('file://host/%zz.asl.json');
  expect(found.map(({ code }) => code)).toContain('asl/unknown-target');
});

test('a position outside of the text means the nearest one in it', async () => {
  const uri = await client.open('order.asl.json', workflow);
  expect(await answers(uri, 0, 9_999)).toEqual({
    ...(await answers(uri, 0, workflow.length)),
  });
  expect(await answers(uri, 9_999, 9_999)).toEqual(await answers(uri, 0, workflow.length));
  expect(await answers(uri, -1, -1)).toEqual(await answers(uri, 0, 0));
});

test('a part with an empty name has its noun in the outline', async () => {
  const uri = await client.open('order.asl.json', workflow.replace('"A":', '" ":'));
  expect(await client.ask('documentSymbol', uri)).toMatchObject([{ name: 'state' }]);
});

test('messages that are malformed are not fatal', async () => {
  const write = (body: string) =>
    client.process.stdin!.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  write('{ "jsonrpc": "2.0", "id": 1, "method": ');
  write('[]');
  write('null');
  write('{ "jsonrpc": "2.0", "method": "textDocument/didOpen" }');
  write(
    '{ "jsonrpc": "2.0", "method": "textDocument/didChange", "params": { "textDocument": 1 } }',
  );
  await expect(client.connection.sendRequest('textDocument/hover')).rejects.toHaveProperty('code');
  await expect(client.connection.sendRequest('no/such/method')).rejects.toMatchObject({
    code: -32_601,
  });
  const uri = await client.open('order.asl.json', workflow);
  expect((await client.mistakes(uri)).length).toBeGreaterThan(0);
});

test('a long definition is checked and explained', async () => {
  const last = scaled(9_000);
  const states = Array.from({ length: last }, (_, index) => [
    `State${index}`,
    { Type: 'Pass', Comment: 'x'.repeat(60), Next: `State${index + 1}` },
  ]);
  const value = { StartAt: 'State0', States: Object.fromEntries(states) as object };
  const text = JSON.stringify(value, undefined, 1);
  expect(text.length).toBeGreaterThan(scaled(1_000_000));
  const uri = await client.open('large.asl.json', text);
  const found = await client.mistakes(uri);
  expect(found.map((one) => client.textAt(uri, one))).toEqual([`"State${last}"`]);
  expect(await client.ask('hover', uri, client.position(uri, '"Ty'))).not.toBeNull();
});

test('a file of a megabyte that is not a definition has no mistakes', async () => {
  const other = 'file:///project/package-lock.json';
  await client.open(other, JSON.stringify({ packages: Array<string>(100_000).fill('package') }));
  expect(await client.mistakes(other)).toEqual([]);
});

test('shutdown and exit end the server with 0, exit alone with 1', async () => {
  const [polite, hasty] = await Promise.all([EditorClient.start(), EditorClient.start()]);
  await polite.open('order.asl.json', workflow);
  expect(await polite.connection.sendRequest('shutdown')).toBeNull();
  await polite.connection.sendNotification('exit');
  expect(await polite.exitCode()).toBe(0);
  await hasty.connection.sendNotification('exit');
  expect(await hasty.exitCode()).toBe(1);
});

test('an editor that closes the streams ends the server', async ({ skip }) => {
  skip(!runsAll);
  const leaving = await EditorClient.start();
  leaving.process.stdin!.end();
  expect(await leaving.exitCode()).toBe(1);
});
