import { expect, test } from 'vitest';
import type { CompletionItem, DocumentSymbol, Hover, Location } from 'vscode-languageserver/node';
import { Editor } from './editor.ts';

const json = 'untitled:intake.plan.json';

/** The place where a text has a part for the first time. */
function rangeOf(text: string, part: string) {
  const before = text.slice(0, text.indexOf(part)).split('\n');
  const [line, character] = [before.length - 1, before.at(-1)!.length];
  return { start: { line, character }, end: { line, character: character + part.length } };
}

const plan = (target: string) => `{
  "title": "Intake",
  "states": [
    {
      "id": "intake",
      "title": "Intake",
      "tasks": [{ "description": "Ask", "deliverables": [{ "key": "name", "type": "string", "description": "Name" }] }],
      "transitions": [{ "target_state_id": "${target}", "condition": { "type": "all_tasks_complete" } }]
    },
    { "id": "done", "title": "Done", "tasks": [] }
  ]
}
`;

test('a mistake is reported where it is written, and no longer when it is mended', async () => {
  const editor = await Editor.open();
  await editor.write(json, 1, plan('done'));
  const before = await editor.findings(json, 1);
  await editor.write(json, 2, plan('doen'));
  const findings = await editor.findings(json, 2);
  await editor.write(json, 3, plan('done'));
  expect(findings.find(({ code }) => code === 'plan/unknown-target')).toMatchObject({
    source: 'dramaturg',
    severity: 1,
    message: expect.stringContaining('"doen"'),
    range: rangeOf(plan('doen'), '"doen"'),
  });
  expect(before.map(({ code }) => code)).not.toContain('plan/unknown-target');
  expect(await editor.findings(json, 3)).toEqual(before);
});

test('names are completed, explained and found', async () => {
  const editor = await Editor.open();
  await editor.write(json, 1, plan('done'));
  const reference = rangeOf(plan('done'), '"done"');
  const { line, character } = reference.start;
  const offers = await editor.ask<CompletionItem[]>('completion', json, line, character + 1);
  expect(offers.find(({ label }) => label === 'done')).toMatchObject({
    filterText: '"done',
    textEdit: { range: reference, newText: '"done"' },
  });
  expect(await editor.ask<Hover>('hover', json, line, character + 2)).toMatchObject({
    contents: { kind: 'plaintext', value: expect.stringContaining('state done') },
    range: reference,
  });
  expect(await editor.ask<Location>('definition', json, line, character + 2)).toEqual({
    uri: json,
    range: rangeOf(plan('elsewhere'), '"done"'),
  });
});

const ofEachFormat = [
  ['a.plan.yaml', 'states:\n  - id: first\n    title: One\n    tasks: []\n'],
  ['a.asl.yaml', 'StartAt: first\nStates:\n  first:\n    Type: Succeed\n'],
  ['a.asl.json', '{ "StartAt": "first", "States": { "first": { "Type": "Succeed" } } }'],
  ['a.npc.json', '{ "states": [{ "state_key": "first" }] }'],
  ['a.context-graph.json', '{ "states": { "first": {} } }'],
  ['a.lifecycle.json', '{ "states": { "first": {} } }'],
];

test.each(ofEachFormat)(
  '%s has an outline, and findings in ranges of the text',
  async (name, text) => {
    const editor = await Editor.open();
    const uri = `untitled:${name}`;
    await editor.write(uri, 1, text);
    const lines = text.split('\n');
    for (const { range } of await editor.findings(uri, 1))
      expect(range.end.character).toBeLessThanOrEqual(lines[range.end.line]!.length);
    const symbols = await editor.ask<DocumentSymbol[]>('documentSymbol', uri, 0, 0);
    expect(symbols.map((symbol) => symbol.name)).toContain('first');
  },
);

test('a wrong request does not stop the server', async () => {
  const editor = await Editor.open();
  const unknown = 'untitled:nowhere.plan.json';
  expect(await editor.ask('completion', unknown, 0, 0)).toEqual([]);
  expect(await editor.ask('hover', unknown, 0, 0)).toBeNull();
  expect(await editor.ask('definition', unknown, 0, 0)).toBeNull();
  expect(await editor.ask('documentSymbol', unknown, 0, 0)).toEqual([]);
  await expect(editor.ask('nothing', unknown, 0, 0)).rejects.toThrow('Unhandled method');
  await editor.write(json, 1, plan('done'));
  expect(await editor.ask('hover', json, 9_999, 9_999)).toBeNull();
  expect(await editor.ask('definition', json, 0, 9_999)).toBeNull();
  const malformed = '{"jsonrpc": "2.0", "id": ';
  editor.process.stdin.write(`Content-Length: ${malformed.length}\r\n\r\n${malformed}`);
  expect(await editor.ask('hover', json, 9_999, 9_999)).toBeNull();
});

test('a file that is no definition has no findings', async () => {
  const editor = await Editor.open();
  await editor.write('file:///nowhere/package.json', 1, '{ "name": "shop", "version": "1.0.0" }');
  expect(await editor.findings('file:///nowhere/package.json', 1)).toEqual([]);
});

test('a text of a megabyte is checked, and half a text has a finding', async () => {
  const editor = await Editor.open();
  const big = plan('doen').replace('"Ask"', JSON.stringify('Ask. '.repeat(200_000)));
  await editor.write(json, 1, big);
  expect((await editor.findings(json, 1)).map(({ code }) => code)).toContain('plan/unknown-target');
  await editor.write(json, 2, plan('done').slice(0, 300));
  expect((await editor.findings(json, 2)).map(({ code }) => code)).toContain('read/syntax');
});

test('the server ends when the editor says so', async () => {
  const editor = await Editor.open();
  await editor.connection.sendRequest('shutdown');
  await editor.connection.sendNotification('exit');
  expect(await editor.exited).toBe(0);
});

test('the server ends when the editor is gone', async () => {
  const editor = await Editor.open();
  editor.process.stdin.end();
  expect(await editor.exited).toBe(1);
});
