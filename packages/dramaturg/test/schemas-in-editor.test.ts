import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { getLanguageService, TextDocument } from 'vscode-json-languageservice';

/** The shipped schemas in the language service of Visual Studio Code, found by the names of files as the catalog says. */
const folder = join(import.meta.dirname, '../schemas');

interface Catalog {
  readonly schemas: readonly { readonly url: string; readonly fileMatch?: string[] }[];
}

const { schemas } = JSON.parse(readFileSync(join(folder, 'catalog.json'), 'utf8')) as Catalog;
const editor = getLanguageService({
  schemaRequestService: (uri) =>
    Promise.resolve(readFileSync(join(folder, uri.split('/').at(-1)!), 'utf8')),
});
editor.configure({
  validate: true,
  schemas: schemas.map(({ url, fileMatch = [] }) => ({
    uri: `schemas://${url.slice(2)}`,
    fileMatch,
  })),
});

/** What the editor shows for a text, in which `|` is the cursor. */
async function shown(fileName: string, marked: string) {
  const cursor = Math.max(0, marked.indexOf('|'));
  const document = TextDocument.create(`file:///${fileName}`, 'json', 1, marked.replace('|', ''));
  const json = editor.parseJSONDocument(document);
  const position = document.positionAt(cursor);
  const completed = await editor.doComplete(document, position, json);
  const hover = await editor.doHover(document, position, json);
  return {
    problems: (await editor.doValidation(document, json)).map(({ message }) =>
      typeof message === 'string' ? message : message.value,
    ),
    completions: completed?.items.map(({ label }) => label) ?? [],
    hover: (hover?.contents as string[] | undefined)?.[0] ?? '',
  };
}

const states = (state: string) => `{ "StartAt": "A", "States": { "A": ${state} } }`;

test.each([
  ['a.plan.json', '{ | }', ['title', 'states', 'session_context']],
  ['a.plan.json', '{ "states": [{ "id": "a", "|" }] }', ['tasks', 'transitions', 'goal']],
  ['a.plan.json', '{ "states": [{ "id": "a", "type": | }] }', ['"strict"', '"loose"', '"goal"']],
  ['a.asl.json', states('{ "Type": | }'), ['"Task"', '"Approval"', '"Debate"']],
  ['a.asl.json', states('{ "Type": "Task", "|" }'), ['Agent', 'Retry', 'Guardrails']],
  ['a.asl.json', states('{ "Type": "Approval", "OnTimeout": | }'), ['"AutoReject"', '"Fail"']],
  [
    'a.asl.json',
    states('{ "Type": "Choice", "Choices": [{ "|" }] }'),
    ['Variable', 'StringEquals'],
  ],
  ['a.npc.json', '{ "machines": [{ "states": [{ "|" }] }] }', ['state_key', 'evaluation_criteria']],
  ['a.context-graph.json', '{ "states": [{ "type": | }] }', ['"action"', '"recall"']],
  ['a.lifecycle.json', '{ "states": { "A": { "kind": | } } }', ['"waiting"', '"terminal"']],
])('%s: an editor completes %s', async (fileName, text, expected) => {
  expect((await shown(fileName, text)).completions).toEqual(expect.arrayContaining(expected));
});

test('a field of another state type is not offered', async () => {
  const { completions } = await shown('a.asl.json', states('{ "Type": "Wait", "|" }'));
  expect(completions).toContain('Seconds');
  expect(completions).not.toContain('Agent');
});

test.each([
  ['a.plan.json', '{ "states": [{ "title": "A" }] }', 'Missing property "id".'],
  [
    'a.plan.json',
    '{ "states": [{ "id": "a", "tasks": {} }] }',
    'Incorrect type. Expected one of array, null.',
  ],
  ['a.asl.json', states('{ "Type": "Tsk" }'), 'Value is not accepted. Valid values: "Task",'],
  ['a.asl.json', states('{ "Type": "Pass", "End": "yes" }'), 'Incorrect type. Expected "boolean".'],
  ['a.asl.json', states('{ "Type": "Wait", "Seconds": -1 }'), 'Value is below the minimum of 0.'],
])('%s: an editor marks %s', async (fileName, text, expected) => {
  expect((await shown(fileName, text)).problems.join(' ')).toContain(expected);
});

test('an editor explains a field', async () => {
  const { hover } = await shown('a.plan.json', '{ "states": [{ "id": "a", "ta|sks": [] }] }');
  expect(hover).toContain('What is done in the state');
});
