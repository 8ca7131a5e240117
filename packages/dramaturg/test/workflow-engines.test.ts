import type { AnyStateMachine } from 'xstate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as whole from '../src/index.ts';
import { type BrowserBundle, bundleBrowser, type BundledBrowser } from './browser-bundle.ts';

/** A page loads the engines of workflows when it calls `loadWorkflowEngines`. Without them nothing is unchecked. */
let bundled: BundledBrowser;
/** Opened once: the modules of a page are many. */
let without: BrowserBundle;
let loaded: BrowserBundle;
beforeAll(async () => {
  bundled = await bundleBrowser();
  without = await bundled.open();
  loaded = await bundled.open();
  await loaded.loadWorkflowEngines();
});
afterAll(() => bundled.remove());

const code = 'asl/engines-not-loaded';
const engines = /node_modules[\\/](?:jsonata|re2js)[\\/]|json-schemas\.js$/;

const QueryLanguage = 'JSONata';
const jsonata = {
  StartAt: 'Sum',
  States: {
    Sum: {
      Type: 'Pass',
      QueryLanguage,
      Output: { sum: '{% $sum($states.input.items) %}' },
      Next: 'Double',
    },
    Double: { Type: 'Pass', QueryLanguage, Output: '{% $states.input.sum * 2 %}', End: true },
  },
};
const choice = {
  StartAt: 'Choose',
  States: {
    Choose: {
      Type: 'Choice',
      QueryLanguage,
      Choices: [{ Condition: '{% $states.input.n > 1 and $states.input.m > 1 %}', Next: 'Yes' }],
      Default: 'No',
    },
    Yes: { Type: 'Succeed' },
    No: { Type: 'Succeed' },
  },
};
const filter = {
  StartAt: 'Find',
  States: { Find: { Type: 'Pass', InputPath: '$.all[?(@.name =~ /a+/i)]', End: true } },
};
const agent = (fields: object) => ({
  StartAt: 'Write',
  States: { Write: { Type: 'Task', Agent: 'Writer', ...fields, End: true } },
});
const guarded = (rule: object) => agent({ Guardrails: { Output: { Rules: [rule] } } });
const pattern = guarded({ Type: 'regex', Pattern: '\\d{4}', Action: 'block' });
const schema = guarded({ Type: 'schema', Schema: { type: 'object' }, Action: 'block' });
const tool = agent({
  Tools: {
    Allowed: ['send'],
    Validation: { send: { Input: { Schema: { type: 'object' } } } },
  },
});
const nested = {
  StartAt: 'Each',
  States: {
    Each: { Type: 'Map', ItemProcessor: jsonata, End: true },
  },
};
const needing = { jsonata, choice, filter, pattern, schema, tool, nested };

/** Each place that needs an engine. */
const places: Record<keyof typeof needing, string> = {
  jsonata: 'States.Sum.Output.sum',
  choice: 'States.Choose.Choices.0.Condition',
  filter: 'States.Find.InputPath',
  pattern: 'States.Write.Guardrails.Output.Rules.0.Pattern',
  schema: 'States.Write.Guardrails.Output.Rules.0.Schema',
  tool: 'States.Write.Tools.Validation',
  nested: 'States.Each.ItemProcessor.States.Sum.Output.sum',
};

const plain = {
  StartAt: 'Greet',
  States: {
    Greet: {
      Type: 'Pass',
      Parameters: { 'text.$': "States.Format('Hello, {}', $.name)" },
      End: true,
    },
  },
};

test('what a page loads at first has no engine, and what it may load later has all', () => {
  expect(bundled.first.filter((path) => engines.test(path))).toEqual([]);
  const later = bundled.later.join('\n');
  for (const name of ['jsonata.js', 're2js', 'json-schemas.js']) expect(later).toContain(name);
});

describe.each(Object.entries(needing))('a workflow with %s', (name, definition) => {
  const text = JSON.stringify(definition, null, 2);

  test('has an error at its place until the engines are loaded', () => {
    for (const { diagnostics, ...checked } of [without.compile(text), without.check(text)]) {
      const [found, ...others] = diagnostics.filter((each) => each.code === code);
      expect(others).toEqual([]);
      expect(found).toMatchObject({ severity: 'error' });
      expect(found!.path.join('.')).toBe(places[name as keyof typeof needing]);
      expect(found!.hint).toContain('await loadWorkflowEngines()');
      expect(checked).not.toHaveProperty('chart');
      expect(checked).not.toHaveProperty('machine');
    }
  });

  test('is compiled as outside of browsers when they are loaded', () => {
    const { chart, diagnostics } = loaded.compile(text);
    const expected = whole.compile(text);
    expect(JSON.parse(JSON.stringify({ chart, diagnostics }))).toEqual(
      JSON.parse(JSON.stringify({ chart: expected.chart, diagnostics: expected.diagnostics })),
    );
    expect(chart).toBeDefined();
  });
});

test('mistakes are found as outside of browsers once the engines are loaded', () => {
  for (const wrong of [
    {
      ...jsonata,
      States: { Sum: { Type: 'Pass', QueryLanguage, Output: '{% $sum( %}', End: true } },
    },
    { ...filter, States: { Find: { Type: 'Pass', InputPath: '$[?(@.a =~ /(/)]', End: true } } },
    guarded({ Type: 'regex', Pattern: '(?=a)' }),
    guarded({ Type: 'schema', Schema: { type: 'nothing' } }),
  ]) {
    const text = JSON.stringify(wrong);
    const { diagnostics } = loaded.check(text);
    expect(diagnostics.map((each) => [each.code, each.message, each.range])).toEqual(
      whole.check(text).diagnostics.map((each) => [each.code, each.message, each.range]),
    );
    expect(loaded.hasErrors(diagnostics)).toBe(true);
  }
});

test('a template that needs an engine is an error of the state that includes it', async () => {
  const page = await bundled.open();
  const text = JSON.stringify({
    Imports: { sums: './sums.asl.json' },
    StartAt: 'Use',
    States: { Use: { Type: 'Include', Template: 'sums', End: true } },
  });
  const options = {
    fileName: 'a.asl.json',
    options: { imports: { 'sums.asl.json': jsonata as never } },
  };
  const messages = page.compile(text, options).diagnostics.map(({ message }) => message);
  expect(messages.join('\n')).toContain('the page has not loaded what reads JSONata');
  await page.loadWorkflowEngines();
  expect(page.compile(text, options).diagnostics).toEqual(whole.compile(text, options).diagnostics);
});

test('a workflow that needs no engine is compiled and runs without them', async () => {
  const { machine, diagnostics } = without.compile(JSON.stringify(plain));
  expect(diagnostics).toEqual([]);
  expect((await ended(without, machine!, { name: 'Ada' })).output).toEqual({ text: 'Hello, Ada' });
});

test.each(Object.entries({ jsonata, choice, filter }))(
  'a machine of a chart with %s that was compiled ahead fails with a code where it needs an engine',
  async (_name, definition) => {
    const { chart } = whole.compile(JSON.stringify(definition));
    const input = { items: [1, 2, 3], n: 2, m: 2, all: [{ name: 'aa' }] };
    const { error } = await ended(without, without.link(chart!, without.asl.behaviour), input);
    expect(error).toMatchObject({ code, message: expect.stringContaining('loadWorkflowEngines') });
    expect(error).toBeInstanceOf(without.DramaturgError);

    const after = await ended(loaded, loaded.link(chart!, loaded.asl.behaviour), input);
    expect(after.error).toBeUndefined();
  },
);

test('a machine of a chart with JSONata runs to its end once the engines are loaded', async () => {
  const page = await bundled.open();
  await Promise.all([page.loadWorkflowEngines(), page.loadWorkflowEngines()]);
  const { machine } = page.compile(JSON.stringify(jsonata));
  expect((await ended(page, machine!, { items: [1, 2, 3] })).output).toBe(12);
});

/** Runs a workflow to its end. An error of the machine ends it as well. */
async function ended(page: BrowserBundle, machine: AnyStateMachine, input: unknown) {
  return new Promise<{ output?: unknown; error?: unknown }>((resolve) => {
    const actor = page.createActor(machine, { input: { input } });
    actor.subscribe({
      error: (error) => resolve({ error }),
      complete: () =>
        resolve({ output: (actor.getSnapshot().output as { output: unknown }).output }),
    });
    actor.start();
  });
}
