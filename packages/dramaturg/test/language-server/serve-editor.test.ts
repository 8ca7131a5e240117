import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type {
  CodeAction,
  CompletionItem,
  DocumentSymbol,
  FoldingRange,
  Hover,
  Location,
  WorkspaceEdit,
} from 'vscode-languageserver/node';
import { check } from '../../src/compile.ts';
import { examples, folderWith } from '../command.ts';
import { EditorClient } from './editor-client.ts';

const plan = `title: Support 🎭 intake
states:
  - id: intake
    title: Intake
    tasks: []
    transitions:
      - { target_state_id: done }
  - id: done
    title: Done
    tasks: []
`;

const workflow = `{
  "StartAt": "Greet",
  "States": {
    "Greet": { "Type": "Pass", "Next": "Bye" },
    "Bye": { "Type": "Succeed" }
  }
}
`;

let client: EditorClient;
beforeAll(async () => {
  client = await EditorClient.start();
});
afterAll(() => client.stop());

const openPlan = (text = plan) => client.open('intake.plan.yaml', text, 'yaml');
const openWorkflow = (text = workflow) => client.open('order.asl.json', text);

test('the server says what it can do', () => {
  expect(client.capabilities).toEqual({
    serverInfo: { name: 'dramaturg' },
    capabilities: {
      positionEncoding: 'utf-16',
      textDocumentSync: { openClose: true, change: 2, save: true },
      completionProvider: { triggerCharacters: ['"', "'", ' ', '.', '$'] },
      hoverProvider: true,
      definitionProvider: true,
      documentSymbolProvider: true,
      referencesProvider: true,
      renameProvider: true,
      codeActionProvider: { codeActionKinds: ['quickfix'] },
      foldingRangeProvider: true,
    },
  });
});

test('a name is found and renamed in all its places, with its quotes', async () => {
  const uri = await openWorkflow();
  const at = client.position(uri, '"By');
  const places = await client.ask<Location[]>('references', uri, at, {
    context: { includeDeclaration: true },
  });
  expect(places.map(({ range }) => [range.start.line, client.textAt(uri, { range })])).toEqual([
    [4, '"Bye"'],
    [3, '"Bye"'],
  ]);
  const { changes } = await client.ask<WorkspaceEdit>('rename', uri, at, { newName: 'The end' });
  const renamed = TextDocument.applyEdits(
    TextDocument.create(uri, 'json', 1, workflow),
    changes![uri]!,
  );
  expect(renamed).toBe(workflow.replaceAll('"Bye"', '"The end"'));
});

test('a name in a scope of its own is not renamed with another one of that name', async () => {
  const branch = (next: string) =>
    `{ "StartAt": "A", "States": { "A": { "Type": "Pass", ${next} } } }`;
  const text = `{ "StartAt": "A", "States": { "A": { "Type": "Parallel", "End": true, "Branches": [
    ${branch('"End": true')} ] } } }`;
  const uri = await openWorkflow(text);
  const places = await client.ask<Location[]>(
    'references',
    uri,
    client.position(uri, '"StartAt": "'),
    {
      context: { includeDeclaration: false },
    },
  );
  expect(places.map(({ range }) => range.start.line)).toEqual([0]);
});

test('a hint that names another word is a change that the editor can make', async () => {
  const uri = await openPlan(plan.replace('target_state_id: done', 'target_state_id: doen'));
  const [finding] = await client.mistakes(uri);
  const [action, ...others] = await client.ask<CodeAction[]>('codeAction', uri, undefined, {
    range: finding!.range,
    context: { diagnostics: [finding] },
  });
  expect(others).toEqual([]);
  expect(action).toMatchObject({
    title: 'Change to "done"',
    kind: 'quickfix',
    edit: { changes: { [uri]: [{ range: finding!.range, newText: 'done' }] } },
  });
});

test('states are folded', async () => {
  const uri = await openPlan();
  const folds = await client.ask<FoldingRange[]>('foldingRange', uri);
  expect(folds.map(({ startLine }) => startLine)).toEqual([2, 7]);
});

describe('mistakes', () => {
  test('a mistake is published with its place, code and hint, and taken back when it is mended', async () => {
    const json = await openWorkflow();
    expect(await client.mistakes(json)).toEqual([]);
    await client.replace(json, '"Next": "Bye"', '"Next": "By"');
    const found = await client.mistakes(json);
    expect(found).toEqual([
      {
        range: { start: { line: 3, character: 39 }, end: { line: 3, character: 43 } },
        severity: 1,
        code: 'asl/unknown-target',
        source: 'dramaturg',
        message: 'There is no state "By" here.\nName one of the states here: "Greet" or "Bye".',
      },
    ]);
    await client.replace(json, '"Next": "By"', '"Next": "Bye"');
    expect(await client.mistakes(json)).toEqual([]);
  });

  test('ranges count UTF-16 units, behind an emoji and with Windows line ends', async () => {
    const text = plan
      .replaceAll('\n', '\r\n')
      .replace('tasks: []', "tasks: [] # 🎭\r\n    '🎭': 1");
    const yaml = await openPlan(
      text.replace('{ target_state_id: done', '{ "🎭": 1, target_state_id: doen'),
    );
    const found = await client.mistakes(yaml);
    const places = found.map((one) => [one.code, client.textAt(yaml, one)]);
    expect(places).toContainEqual(['plan/unknown-target', 'doen']);
  });

  test('the findings are those of "dramaturg check", in every example with a mistake in it', async () => {
    for (const name of ['customer-intake.plan.json', 'check-in.context-graph.yaml']) {
      const text = readFileSync(join(examples, name), 'utf8').replace(/: *"?(\w+)"?,?$/m, ':');
      const uri = pathToFileURL(join(examples, name)).href;
      await client.open(uri, text);
      const { diagnostics } = check(text, { fileName: name });
      expect(diagnostics.length).toBeGreaterThan(0);
      expect(
        (await client.mistakes(uri)).map(({ code, range }) => [code, range.start.line + 1]),
      ).toEqual(diagnostics.map(({ code, range }) => [code, range.start.line]));
    }
  });

  test('the last of many fast changes decides, and a closed document has no mistakes', async () => {
    const json = await openWorkflow();
    for (let count = 0; count < 50; count += 1) {
      await client.replace(json, '"Next": "Bye"', '"Next": "By"');
      await client.replace(json, '"Next": "By"', '"Next": "Bye"');
    }
    await client.replace(json, '"Next": "Bye"', '"Next": "By"');
    expect((await client.mistakes(json)).map(({ code }) => code)).toEqual(['asl/unknown-target']);
    await client.close(json);
    await client.mistakesWhere(json, ({ diagnostics }) => diagnostics.length === 0);
  });

  test('a text without a telling name is recognised, and keeps its format while it is broken', async () => {
    const uri = 'untitled:Untitled-1';
    await client.open(uri, workflow);
    expect(await client.mistakes(uri)).toEqual([]);
    await client.replace(uri, '"Next": "Bye" }', '"Next": "Bye"');
    expect((await client.mistakes(uri)).map(({ code }) => code)).toContain('read/syntax');
    await client.replace(uri, workflow.slice(0, 30), '{}');
    await client.replace(uri, workflow.slice(30).replace('"Next": "Bye" }', '"Next": "Bye"'), '');
    expect(await client.mistakes(uri)).toEqual([]);
  });

  test('definitions inside a template are checked', async () => {
    const uri = await client.open(
      'template.yaml',
      `Resources:
  Orders:
    Type: AWS::Serverless::StateMachine
    Properties:
      Definition:
        StartAt: Gone
        States:
          Done: { Type: Succeed }
`,
      'yaml',
    );
    const found = await client.mistakes(uri);
    expect(found.map((one) => client.textAt(uri, one))).toContain('Gone');
  });

  test('a definition that names another one is checked again when that is saved', async () => {
    const folder = await folderWith({});
    const uri = pathToFileURL(join(folder, 'order.asl.json')).href;
    const agent = { Type: 'Task', Agent: 'plan:intake', End: true };
    await client.open(uri, JSON.stringify({ StartAt: 'Ask', States: { Ask: agent } }));
    expect((await client.mistakes(uri)).map(({ code }) => code)).toEqual([
      'asl/unknown-definition',
    ]);
    writeFileSync(join(folder, 'intake.plan.yaml'), plan);
    await client.save(uri);
    await client.mistakesWhere(uri, ({ diagnostics }) => diagnostics.length === 0);
  });
});

describe('completion', () => {
  test('offers names that the definition declares, as snippets with their quotes', async () => {
    const json = await openWorkflow(workflow.replace('"Next": "Bye"', '"Next": "B"'));
    const items = await client.ask<CompletionItem[]>(
      'completion',
      json,
      client.position(json, '"Next": "B'),
    );
    expect(items.find(({ label }) => label === 'Bye')).toMatchObject({
      filterText: '"Bye',
      insertTextFormat: 2,
      insertTextMode: 1,
      textEdit: {
        range: { start: { line: 3, character: 39 }, end: { line: 3, character: 42 } },
        newText: '"Bye"$0',
      },
    });
  });

  test('offers fields, with several lines only to an editor that leaves their indentation alone', async () => {
    const edits = async (editor: EditorClient) => {
      const yaml = await editor.open('small.plan.yaml', 'title: Small\n', 'yaml');
      const items = await editor.ask<CompletionItem[]>('completion', yaml, {
        line: 1,
        character: 0,
      });
      return items.find(({ label }) => label === 'states')?.textEdit?.newText;
    };
    expect(await edits(client)).toBe('states:\n  - $0');
    const plain = await EditorClient.start({});
    onTestFinished(() => plain.stop());
    expect(await edits(plain)).toBe('states:');
  });

  test('a space inside of a sentence asks for nothing', async () => {
    const yaml = await openPlan();
    const more = { context: { triggerKind: 2, triggerCharacter: ' ' } };
    const items = (at: string) =>
      client.ask<CompletionItem[]>('completion', yaml, client.position(yaml, at), more);
    expect(await items('title: Support ')).toEqual([]);
    expect((await items('target_state_id: ')).map(({ label }) => label)).toContain('done');
  });
});

test('hover explains a field in plain text, with its section', async () => {
  const yaml = await openPlan();
  const hover = await client.ask<Hover>('hover', yaml, client.position(yaml, 'tas'));
  expect(hover).toEqual({
    contents: {
      kind: 'plaintext',
      value: expect.stringMatching(/^tasks\n\n.+\n\nSpecification: docs\/formats\/plan\.md#/s),
    },
    range: { start: { line: 4, character: 4 }, end: { line: 4, character: 9 } },
  });
});

test('the definition of a name is the place that declares it', async () => {
  const yaml = await openPlan();
  const place = await client.ask<Location>(
    'definition',
    yaml,
    client.position(yaml, 'target_state_id: do'),
  );
  expect(place).toEqual({
    uri: yaml,
    range: { start: { line: 7, character: 8 }, end: { line: 7, character: 12 } },
  });
});

test('the outline has the named parts, one in another', async () => {
  const json = await openWorkflow();
  const symbols = await client.ask<DocumentSymbol[]>('documentSymbol', json);
  expect(symbols).toMatchObject([
    { name: 'Greet', detail: 'state, Pass', selectionRange: { start: { line: 3, character: 4 } } },
    { name: 'Bye', detail: 'state, Succeed' },
  ]);
});
