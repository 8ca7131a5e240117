import { check, type JsonObject } from '@dramaturg/compiler';
import { expect, test } from 'vitest';
import { asl } from '../../src/index.ts';
import { chain, failure, outputOf, pass, run, type RunOptions, task } from '../run.ts';

/** Section B.15: included templates and their parameters. */

const template = (
  states: Readonly<Record<string, JsonObject>>,
  parameters: JsonObject = {},
): JsonObject => ({
  Parameters: parameters,
  ...chain(states),
});

const notification = template(
  {
    Prepare: task({
      Agent: 'Writer',
      Parameters: { to: '{{recipient}}', urgent: '{{urgent}}', note: 'for {{channel | upper}}' },
      ResultPath: '$.text',
    }),
    Send: task({ Agent: '{{channel}}Agent', Parameters: { 'text.$': '$.text' } }),
  },
  {
    channel: { Type: 'string', Required: true, Enum: ['email', 'slack'] },
    recipient: { Type: 'string', Required: true },
    urgent: { Type: 'boolean', Default: false },
    tries: { Type: 'integer', Default: 2, Min: 1, Max: 5 },
  },
);

function including(fields: JsonObject, imports: JsonObject = { notify: './notify.asl.json' }) {
  return {
    Imports: imports,
    ...chain({
      Tell: { Type: 'Include', Template: 'notify', ResultPath: '$.told', ...fields },
      After: pass(),
    }),
  };
}

const files = (more: JsonObject = {}): RunOptions => ({
  options: { imports: { 'notify.asl.json': notification, ...more } },
});

const agents: RunOptions['agents'] = {
  Writer: (input: JsonObject) => input,
  emailAgent: ({ text }: { text: JsonObject }) => ({ sent: text }),
};

function problems(
  definition: JsonObject,
  imports: JsonObject = { 'notify.asl.json': notification },
) {
  const { diagnostics } = check(JSON.stringify(definition), {
    formats: [asl],
    options: { imports },
  });
  return diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message);
}

test('a template is part of the workflow that includes it, with its parameters filled in', async () => {
  const { output, calls } = await run(
    including({ Parameters: { channel: 'email', recipient: 'ana', urgent: true } }),
    { ...files(), agents, input: { a: 1 } },
  );
  expect(calls.map(({ agent }) => agent)).toEqual(['Writer', 'emailAgent']);
  // A placeholder that is the whole text keeps the type of the parameter.
  expect(calls[0]!.input).toEqual({ to: 'ana', urgent: true, note: 'for EMAIL' });
  expect(output).toMatchObject({ output: { a: 1, told: { sent: { to: 'ana' } } } });
});

test('a parameter can be computed when the state is entered', async () => {
  const parameters = { channel: 'email', 'recipient.$': '$.who' };
  const output = await outputOf(including({ Parameters: parameters }), {
    ...files(),
    agents,
    input: { who: 'bob' },
  });
  expect(output).toMatchObject({ told: { sent: { to: 'bob', urgent: false } } });
});

test.for([
  [{ channel: 'pigeon', recipient: 'a' }, 'The parameter "channel" is none of "email", "slack".'],
  [{ channel: 'email' }, 'The parameter "recipient" is missing.'],
  [{ channel: 'email', recipient: 7 }, 'The parameter "recipient" is not of the type string.'],
  [{ channel: 'email', recipient: 'a', tries: 9 }, 'The parameter "tries" is more than 5.'],
  [
    { channel: 'email', recipient: 'a', colour: 1 },
    'It has no parameter "colour". It has these: channel, recipient, urgent, tries.',
  ],
  [{ 'channel.$': '$.c', recipient: 'a' }, 'is known only when the state is entered'],
] as const)(
  'parameters that do not fit are reported where the template is included: %j',
  ([given, because]) => {
    expect(problems(including({ Parameters: given }))).toEqual([
      expect.stringContaining(`The template "notify" cannot be included. `),
    ]);
    expect(problems(including({ Parameters: given }))[0]).toContain(because);
  },
);

test('a field that cannot be computed needs its parameter before the run', () => {
  const late = template({ S: task({ Agent: '{{agent}}' }) }, { agent: { Required: true } });
  const found = problems(including({ Parameters: { 'agent.$': '$.agent' } }), {
    'notify.asl.json': late,
  });
  expect(found).toEqual([
    expect.stringContaining('"{{agent}}" is known only when the state is entered'),
  ]);
});

const given = { channel: 'email', recipient: 'ana' };

test('the states of a template have its tools, except for those that the workflow denies', async () => {
  const categories = { reading: ['look', 'find'], risky: [] };
  const researching = {
    ...template(
      {
        All: task({ Agent: 'Writer' }),
        One: task({ Agent: 'Writer', Tools: { AllowedCategories: ['reading'], Allowed: [] } }),
      },
      { never: { Default: 'shell' } },
    ),
    DefaultTools: { Allowed: ['look', 'cut'], Denied: ['{{never}}'] },
    ToolCategories: categories,
  };
  const { output, calls } = await run(
    {
      ...including({}),
      DefaultTools: { Allowed: ['mail'], Denied: ['risky'] },
      ToolCategories: { risky: ['cut'] },
    },
    { options: { imports: { 'notify.asl.json': researching } }, agents },
  );
  expect(output).toMatchObject({ status: 'succeeded' });
  const denied = ['risky', 'cut', 'shell'];
  expect(calls.map(({ tools }) => tools)).toEqual([
    { allowed: ['look', 'cut'], denied },
    { allowed: ['look', 'find'], denied },
  ]);
});

test('fields of a template that only apply to its own runs are reported as inert', () => {
  const paid = { ...notification, Budget: { MaxTokens: 10 }, Memory: { Namespace: 'n' } };
  const outer = { ...template({ I: { Type: 'Include', Template: 'n', Parameters: given } }) };
  const imports = {
    'notify.asl.json': paid,
    'outer.asl.json': { ...outer, Imports: { n: './notify.asl.json' } },
  };
  for (const source of ['./notify.asl.json', './outer.asl.json']) {
    const parameters = source === './outer.asl.json' ? {} : given;
    const workflow = including({ Parameters: parameters }, { notify: source });
    const { diagnostics } = check(JSON.stringify(workflow), {
      formats: [asl],
      options: { imports },
    });
    expect(diagnostics.map(({ code }) => code)).toEqual(['asl/carried-only', 'asl/not-enforced']);
    expect(diagnostics[1]!.message).toMatch(
      /^"n\w*\.Budget" is not enforced: it limits whole runs/,
    );
    expect(diagnostics[0]!.path.slice(0, 2)).toEqual(['States', 'Tell']);
  }
});

test('a template that is missing, leads outside, is not local, or is locked to another version', () => {
  const because = (source: string, more: JsonObject = {}) =>
    problems({ ...including({ Parameters: given }, { notify: source }), ...more })[0];
  expect(because('./other.asl.json')).toContain('There is no template in "other.asl.json".');
  expect(because('../notify.asl.json')).toContain('leads out of the folder');
  expect(because('/etc/passwd')).toContain('leads out of the folder');
  expect(because('https://example.com/notify.json')).toContain('is not fetched');
  expect(because('registry://org/notify@1.0.0')).toContain('is not fetched');
  expect(because('./notify.asl.json', { _lock: { notify: '2.0.0' } })).toContain(
    'It is locked to the version 2.0.0, and "notify.asl.json" is 1.0.',
  );
});

test('an import that is not a file can be provided under its source', async () => {
  const source = 'registry://org/notify@1.0.0';
  const output = await outputOf(including({ Parameters: given }, { notify: source }), {
    options: { imports: { [source]: notification } },
    agents,
  });
  expect(output).toMatchObject({ told: { sent: { to: 'ana' } } });
});

test('templates include templates, but not themselves', async () => {
  const outer = {
    ...template({ Inner: { Type: 'Include', Template: 'n', Parameters: given } }),
    Imports: { n: '../notify.asl.json' },
  };
  const imports = { notify: './lib/outer.asl.json' };
  const output = await outputOf(including({}, imports), {
    ...files({ 'lib/outer.asl.json': outer }),
    agents,
  });
  expect(output).toMatchObject({ told: { sent: { to: 'ana' } } });
  const circle = {
    ...template({ Again: { Type: 'Include', Template: 'n' } }),
    Imports: { n: './b.asl.json' },
  };
  const back = { ...circle, Imports: { n: './a.asl.json' } };
  expect(
    problems(including({}, { notify: './a.asl.json' }), {
      'a.asl.json': circle,
      'b.asl.json': back,
    }),
  ).toEqual([
    expect.stringContaining('It includes itself: a.asl.json -> b.asl.json -> a.asl.json.'),
  ]);
});

test('a problem in a template is reported where it is included', () => {
  const broken = template({ S: task({ Next: 'Nowhere' }) });
  expect(problems(including({}), { 'notify.asl.json': broken })[0]).toContain('"Nowhere"');
});

test('an Override patches states, an EntryPoint and an ExitPoint choose a part', async () => {
  const steps = template({
    One: pass({ Result: 1, ResultPath: '$.one' }),
    Two: pass({ Result: 2, ResultPath: '$.two' }),
    Three: pass({ Result: 3, ResultPath: '$.three' }),
  });
  const imports = { options: { imports: { 'notify.asl.json': steps } } };
  expect(await outputOf(including({ EntryPoint: 'Two' }), { ...imports })).toMatchObject({
    told: { two: 2, three: 3 },
  });
  expect(
    await outputOf(
      including({ ExitPoint: 'Two', Override: { States: { One: { Result: 'I' } } } }),
      {
        ...imports,
      },
    ),
  ).toEqual({ told: { one: 'I', two: 2 } });
  expect(problems(including({ EntryPoint: 'Four' }), { 'notify.asl.json': steps })[0]).toContain(
    'It has no state "Four".',
  );
});

test('a module provides its exports', async () => {
  const { StartAt: _, ...lent } = template({ A: pass({ Result: 'a' }), B: pass({ Result: 'b' }) });
  const module = { ...lent, Module: true, Exports: ['B'] };
  const imports = { 'notify.asl.json': module };
  expect(await outputOf(including({ EntryPoint: 'B' }), { options: { imports } })).toEqual({
    told: 'b',
  });
  expect(problems(including({}), imports)[0]).toContain('A module needs an "EntryPoint".');
  expect(problems(including({ EntryPoint: 'A' }), imports)[0]).toContain('It lends "B"');
});

test('the state that includes a template retries and catches its failures', async () => {
  let calls = 0;
  const catches = {
    Parameters: given,
    Retry: [{ ErrorEquals: ['Busy'], IntervalSeconds: 1, MaxAttempts: 1 }],
    Catch: [{ ErrorEquals: ['Busy'], Next: 'After' }],
  };
  const { output, calls: made } = await run(including(catches), {
    ...files(),
    agents: {
      ...agents,
      Writer: () => {
        calls += 1;
        throw failure('Busy');
      },
    },
  });
  expect(calls).toBe(2);
  expect(output).toMatchObject({ output: { error: { Error: 'Busy' } } });
  expect(new Set(made.map(({ key }) => key)).size).toBe(2);
});

test.for(['prototype', 'constructor', 'toString'])(
  'nothing is included or filled in by the name %s',
  (name) => {
    const include = including({ Template: name, Parameters: given });
    expect(problems(include)[0]).toContain(`There is no template "${name}"`);
    const parameters = JSON.parse(
      `{"channel": "email", "recipient": "a", "${name}": 1}`,
    ) as JsonObject;
    expect(problems(including({ Parameters: parameters }))[0]).toContain('It has no parameter');
  },
);

test('calls of a branch, an item or a template have new keys in every visit of the state', async () => {
  const again = (state: JsonObject) => ({
    ...chain({
      Begin: pass({ Result: 0, ResultPath: '$.n' }),
      Work: { ...state, ResultPath: null, Next: 'Count' },
      Count: pass({
        Parameters: { 'n.$': 'States.MathAdd($.n, 1)', 'items.$': '$.items' },
        Next: 'Enough',
      }),
      Enough: {
        Type: 'Choice',
        Choices: [{ Variable: '$.n', NumericLessThan: 2, Next: 'Work' }],
        Default: 'Done',
      },
      Done: { Type: 'Succeed' },
    }),
    Imports: { t: 't.asl.json' },
  });
  const inner = chain({ T: task({ Agent: 'Writer' }) });
  const states: JsonObject[] = [
    { Type: 'Parallel', Branches: [inner] },
    { Type: 'Map', ItemsPath: '$.items', ItemSelector: {}, Iterator: inner },
    { Type: 'Include', Template: 't' },
  ];
  for (const state of states) {
    const { calls } = await run(again(state), {
      agents,
      input: { items: [1] },
      options: { imports: { 't.asl.json': inner } },
    });
    expect(calls).toHaveLength(2);
    expect(new Set(calls.map(({ key }) => key)).size).toBe(2);
  }
});

const routed = template(
  {
    Route: {
      Type: 'Choice',
      Choices: [
        {
          And: [
            { Variable: '{{channel}}', StringEquals: 'email' },
            { Not: { Variable: '{{tries}}', NumericGreaterThan: 3 } },
          ],
          Next: 'Email',
        },
        { Variable: '{{where}}', StringEquals: 'there', Next: 'Found' },
      ],
      Default: 'Other',
    },
    Email: { Type: 'Pass', Result: 'email', End: true },
    Found: { Type: 'Pass', Result: 'found', End: true },
    Other: { Type: 'Pass', Result: 'other', End: true },
  },
  {
    channel: { Type: 'string', Required: true },
    tries: { Type: 'integer', Default: 2 },
    where: { Type: 'string', Default: '$.place' },
  },
);

test.for([
  [{ channel: 'email' }, {}, 'email'],
  [{ channel: 'email', tries: 4 }, {}, 'other'],
  [{ channel: "e'm{a}i\\l" }, {}, 'other'],
  [{ channel: 'sms' }, { place: 'there' }, 'found'],
  [{ 'channel.$': '$.by' }, { by: 'email' }, 'email'],
  [{ 'channel.$': '$.by' }, { by: 'sms' }, 'other'],
  [{ channel: 'sms', 'where.$': '$.by' }, { by: 'there' }, 'found'],
] as const)(
  'a condition compares the value of a parameter, or what the path in it leads to: %j on %j',
  async ([parameters, input, told]) => {
    const options = { imports: { 'notify.asl.json': routed } };
    const output = await outputOf(including({ Parameters: parameters }), { options, input });
    expect(output).toMatchObject({ told });
  },
);

test('a parameter that is known only when the state is entered may be a part of a text', async () => {
  const asking = template(
    {
      Ask: {
        Type: 'Approval',
        Prompt: {
          Title: `{{channel}}: {notify} '{{recipient}}' about {{$.topic}}?`,
          Lines: ['for {{recipient}}', '{{recipient}}'],
          To: '{{recipient}}',
        },
        ResultPath: '$.r',
      },
    },
    { channel: { Default: 'email' }, recipient: { Required: true } },
  );
  const prompts: string[] = [];
  await run(including({ Parameters: { 'recipient.$': '$.who' } }), {
    options: { imports: { 'notify.asl.json': asking } },
    input: { who: 'bob', topic: 'tea' },
    decide: ({ prompt }) => {
      prompts.push(prompt);
      return { decision: 'approve' };
    },
  });
  expect(prompts).toEqual([
    `email: {notify} 'bob' about tea?\n\nLines:\n  - for bob\n  - bob\nTo: bob`,
  ]);
});
