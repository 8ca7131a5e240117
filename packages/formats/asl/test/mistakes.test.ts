import { check, type JsonObject } from '@dramaturg/compiler';
import { describe, expect, test } from 'vitest';
import { faultOf } from '../src/check/rule.ts';
import { compileExpression } from '../src/data/jsonata/expression.ts';
import { jsonataFunctions } from '../src/data/jsonata/references.ts';
import { asl } from '../src/index.ts';
import { world } from './data/evaluate.ts';

const scope = { states: {}, variables: {}, world };

/** One mistake, one finding, at the place to change. */

const resource = 'arn:aws:lambda:eu-west-1:123456789012:function:f';
const processor = {
  ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' },
  StartAt: 'One',
  States: { One: { Type: 'Pass', End: true } },
};
const base = {
  StartAt: 'Work',
  States: {
    Work: {
      Type: 'Task',
      Resource: resource,
      Retry: [{ ErrorEquals: ['States.Timeout'], MaxAttempts: 2, JitterStrategy: 'FULL' }],
      Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Lost' }],
      Next: 'Ask',
    },
    Ask: {
      Type: 'Choice',
      Choices: [{ Variable: '$.size', NumericGreaterThan: 10, Next: 'Each' }],
      Default: 'Rest',
    },
    Each: { Type: 'Map', ItemProcessor: processor, Label: 'each', Next: 'Both' },
    Both: {
      Type: 'Parallel',
      Branches: [{ StartAt: 'B', States: { B: { Type: 'Pass', End: true } } }],
      Next: 'Rest',
    },
    Rest: { Type: 'Wait', Seconds: 5, End: true },
    Lost: { Type: 'Fail', Error: 'Lost' },
  },
} as const;

const agent = {
  StartAt: 'Write',
  States: {
    Write: { Type: 'Task', Agent: 'Writer', ResultPath: '$.text', Next: 'Check' },
    Check: { Type: 'Approval', Prompt: 'Good?', ResultPath: '$.review', Next: 'Tell' },
    Tell: { Type: 'Task', Agent: 'Teller', End: true },
  },
} as const;

const jsonata = {
  StartAt: 'A',
  QueryLanguage: 'JSONata',
  States: {
    A: {
      Type: 'Choice',
      Choices: [{ Condition: '{% $states.input.a %}', Next: 'B' }],
      Default: 'B',
    },
    B: { Type: 'Pass', Output: '{% 1 %}', End: true },
  },
} as const;

function findings(definition: unknown): string[] {
  const { diagnostics } = check(JSON.stringify(definition), { formats: [asl], format: 'asl' });
  return diagnostics.map(({ severity, code, path }) => `${severity} ${code} ${path.join('.')}`);
}

/** A copy in which the part at a path is replaced; `undefined` removes it. */
function changed(definition: object, path: string, part: unknown): object {
  const copy = JSON.parse(JSON.stringify(definition)) as Record<string, unknown>;
  const steps = path.split('.');
  const last = steps.pop()!;
  let at = copy;
  for (const step of steps) at = at[step] as Record<string, unknown>;
  if (part === undefined) delete at[last];
  else at[last] = part;
  return copy;
}

function partAt(definition: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((at, step) => (at as Record<string, unknown>)[step], definition);
}

function renamed(definition: object, path: string, name: string): object {
  const to = [...path.split('.').slice(0, -1), name].join('.');
  return changed(changed(definition, path, undefined), to, partAt(definition, path));
}

test('the original has no finding', () => {
  for (const one of [base, agent, jsonata]) expect(findings(one)).toEqual([]);
});

describe('one mistake is one finding', () => {
  test.each([
    ['StartAt', 'Wrok', 'error asl/unknown-start StartAt'],
    ['StartAt', undefined, 'error shape/missing-field '],
    ['States', [base.States.Rest], 'error shape/wrong-type States'],
    ['States', {}, 'error asl/no-states States'],
    ['States', undefined, 'error shape/missing-field '],
    ['States.Ask', [], 'error shape/wrong-type States.Ask'],
    ['States.Ask', {}, 'error shape/missing-field States.Ask'],
    ['States.Work.Type', 'Taks', 'error asl/unknown-type States.Work.Type'],
    ['States.Work.Type', undefined, 'error shape/missing-field States.Work'],
    ['States.Work.Type', 7, 'error shape/wrong-type States.Work.Type'],
    ['States.Work.Next', 'Aks', 'error asl/unknown-target States.Work.Next'],
    ['States.Work.Next', undefined, 'error asl/no-next States.Work'],
    ['States.Work.Next', ['Ask'], 'error shape/wrong-type States.Work.Next'],
    ['States.Work.End', true, 'error asl/next-and-end States.Work.End'],
    ['States.Work.End', 'true', 'error shape/wrong-type States.Work.End'],
    ['States.Work.Resource', undefined, 'error asl/missing-field States.Work'],
    ['States.Work.Colour', 'red', 'error asl/unsupported-field States.Work.Colour'],
    ['States.Work.Retry', { ErrorEquals: [] }, 'error shape/wrong-type States.Work.Retry'],
    [
      'States.Work.Retry.0.ErrorEquals',
      'States.ALL',
      'error shape/wrong-type States.Work.Retry.0.ErrorEquals',
    ],
    [
      'States.Work.Retry.0.ErrorEquals',
      ['States.Timout'],
      'warning asl/unknown-error States.Work.Retry.0.ErrorEquals.0',
    ],
    [
      'States.Work.Retry.0.MaxAttempts',
      '3',
      'error shape/wrong-value States.Work.Retry.0.MaxAttempts',
    ],
    [
      'States.Work.Retry.0.JitterStrategy',
      'FUL',
      'error asl/unknown-jitter States.Work.Retry.0.JitterStrategy',
    ],
    ['States.Work.Catch', base.States.Work.Catch[0], 'error shape/wrong-type States.Work.Catch'],
    ['States.Work.Catch.0.Next', 'Lots', 'error asl/unknown-target States.Work.Catch.0.Next'],
    ['States.Work.Catch.0.Next', undefined, 'error shape/missing-field States.Work.Catch.0'],
    ['States.Ask.Choices', [], 'error asl/empty-list States.Ask.Choices'],
    ['States.Ask.Choices', undefined, 'error shape/missing-field States.Ask'],
    ['States.Ask.Choices.0', {}, 'error shape/missing-field States.Ask.Choices.0'],
    ['States.Ask.Choices.0.Next', 'Eahc', 'error asl/unknown-target States.Ask.Choices.0.Next'],
    [
      'States.Ask.Choices.0.NumericGreaterThan',
      'ten',
      'error shape/wrong-type States.Ask.Choices.0.NumericGreaterThan',
    ],
    ['States.Ask.Choices.0.Variable', undefined, 'error asl/missing-field States.Ask.Choices.0'],
    ['States.Ask.Default', 'Rets', 'error asl/unknown-target States.Ask.Default'],
    ['States.Each.ItemProcessor', undefined, 'error asl/missing-field States.Each'],
    ['States.Each.ItemProcessor', [], 'error shape/wrong-type States.Each.ItemProcessor'],
    [
      'States.Each.ItemProcessor.ProcessorConfig.Mode',
      'DISTRIBUTE',
      'error shape/wrong-value States.Each.ItemProcessor.ProcessorConfig.Mode',
    ],
    [
      'States.Each.ItemProcessor.States.One.End',
      'yes',
      'error shape/wrong-type States.Each.ItemProcessor.States.One.End',
    ],
    ['States.Both.Branches', [], 'error asl/empty-list States.Both.Branches'],
    ['States.Both.Branches.0', {}, 'error shape/missing-field States.Both.Branches.0'],
    ['States.Rest.Seconds', 'five', 'error shape/wrong-value States.Rest.Seconds'],
    ['States.Rest.End', false, 'error asl/no-next States.Rest'],
    ['States.Rest.End', 'true', 'error shape/wrong-type States.Rest.End'],
  ])('"%s": %j', (path, part, finding) => {
    expect(findings(changed(base, path, part))).toEqual([finding]);
  });

  test.each([
    ['StartAt', 'StratAt', 'error asl/unsupported-field StratAt'],
    ['States', 'Statess', 'error asl/unsupported-field Statess'],
    ['States.Work.Type', 'Typ', 'error asl/unsupported-field States.Work.Typ'],
    ['States.Work.Next', 'Nxet', 'error asl/unsupported-field States.Work.Nxet'],
    ['States.Work.Catch', 'Cach', 'error asl/unsupported-field States.Work.Cach'],
    ['States.Work.Catch.0.Next', 'Nextt', 'error asl/unsupported-field States.Work.Catch.0.Nextt'],
    [
      'States.Work.Retry.0.ErrorEquals',
      'ErrorEqual',
      'error asl/unsupported-field States.Work.Retry.0.ErrorEqual',
    ],
    ['States.Ask.Choices', 'Choises', 'error asl/unsupported-field States.Ask.Choises'],
    [
      'States.Ask.Choices.0.NumericGreaterThan',
      'NumericGreaterThen',
      'error asl/unsupported-field States.Ask.Choices.0.NumericGreaterThen',
    ],
    [
      'States.Each.ItemProcessor',
      'ItemProcesor',
      'error asl/unsupported-field States.Each.ItemProcesor',
    ],
    [
      'States.Each.ItemProcessor.ProcessorConfig.Mode',
      'Moed',
      'error asl/unsupported-field States.Each.ItemProcessor.ProcessorConfig.Moed',
    ],
    ['States.Rest.Seconds', 'Second', 'error asl/unsupported-field States.Rest.Second'],
  ])('"%s" written as "%s"', (path, name, finding) => {
    expect(findings(renamed(base, path, name))).toEqual([finding]);
  });

  test.each([
    [agent, 'States.Write.Next', 'Chek', 'error asl/unknown-target States.Write.Next'],
    [agent, 'States.Check.Prompt', undefined, 'error asl/missing-field States.Check'],
    [agent, 'States.Check.Timeout', 'a day', 'error asl/bad-duration States.Check.Timeout'],
    [jsonata, 'QueryLanguage', 'JSONatta', 'error shape/wrong-value QueryLanguage'],
    [jsonata, 'QueryLanguage', 7, 'error shape/wrong-value QueryLanguage'],
    [
      jsonata,
      'States.A.Choices.0.Condition',
      undefined,
      'error asl/missing-field States.A.Choices.0',
    ],
    [jsonata, 'States.B.Output', '{% 1 +', 'error asl/open-expression States.B.Output'],
  ])('%#: "%s"', (definition, path, part, finding) => {
    expect(findings(changed(definition, path, part))).toEqual([finding]);
  });

  test.each([
    ['States.Write.Agent', 'Agnet', 'error asl/unknown-field States.Write.Agnet'],
    ['States.Write.ResultPath', 'ResultPaht', 'warning asl/unknown-field States.Write.ResultPaht'],
    ['States.Check.Prompt', 'Promt', 'error asl/unknown-field States.Check.Promt'],
    ['States.Tell.End', 'Edn', 'error asl/unknown-field States.Tell.Edn'],
  ])('where agents work, "%s" written as "%s"', (path, name, finding) => {
    expect(findings(renamed(agent, path, name))).toEqual([finding]);
  });
});

test.for([
  ['Aproval', {}, 'Did you mean "Approval"?'],
  ['Debat', {}, 'Did you mean "Debate"?'],
  ['task', {}, 'Did you mean "Task"?'],
  ['Aproval', { dialect: 'amazon' }, 'The types are Task, Choice'],
] as const)('the type "%s" alone with the options %j: %s', ([type, options, hint]) => {
  const definition = { StartAt: 'A', States: { A: { Type: type, End: true } } };
  const { diagnostics } = check(JSON.stringify(definition), { formats: [asl], options });
  expect(diagnostics.map((one) => [one.code, one.hint])).toEqual([
    ['asl/unknown-type', expect.stringContaining(hint) as string],
  ]);
});

test.each([
  [agent, 'States.Check.Approvers', ['ana'], 'asl/unknown-field', 'Move it into "Policy".'],
  [agent, 'States.Tell.Allowed', ['search'], 'asl/unsupported-field', 'Move it into "Tools".'],
  [
    agent,
    'States.Tell.DeniedTools',
    ['search'],
    'asl/unsupported-field',
    'Remove it, or move it to "Comment".',
  ],
  [agent, 'States.Tell.Timeout', '5s', 'asl/unsupported-field', 'Move it into "Tools".'],
  [agent, 'Guardrails', {}, 'asl/unsupported-field', 'Remove it, or move it to "Comment".'],
  [
    base,
    'States.Each.CSVDelimiter',
    'PIPE',
    'asl/unsupported-field',
    'Move it into "ItemReader.ReaderConfig".',
  ],
])('a field outside of its block, %#: "%s"', (definition, path, part, code, hint) => {
  const { diagnostics } = check(JSON.stringify(changed(definition, path, part)), {
    formats: [asl],
  });
  expect(diagnostics).toEqual([expect.objectContaining({ code, hint, path: path.split('.') })]);
});

test.for<[object, readonly string[]]>([
  [{}, ['error asl/missing-field States.M.ResultWriter']],
  [{ WriterConfig: {} }, []],
  [{ Resource: 'arn:aws:states:::s3:putObject', Parameters: { Bucket: 'b' } }, []],
])('a ResultWriter writes or transforms: %j', ([ResultWriter, expected]) => {
  const M = { Type: 'Map', ResultWriter, ItemProcessor: processor, End: true };
  expect(findings({ StartAt: 'M', States: { M } })).toEqual(expected);
});

test.for([
  [0, []],
  [100_000_000, []],
  [-1, ['error shape/wrong-value States.M.ItemReader.ReaderConfig.MaxItems']],
  [1.5, ['error shape/wrong-value States.M.ItemReader.ReaderConfig.MaxItems']],
] as const)('an item reader may have "MaxItems": %j', ([MaxItems, expected]) => {
  const ItemReader = {
    Resource: 'arn:aws:states:::s3:getObject',
    ReaderConfig: { InputType: 'JSON', MaxItems },
  };
  const M = { Type: 'Map', ItemReader, ItemProcessor: processor, End: true };
  const errors = findings({ StartAt: 'M', States: { M } }).filter((one) => one.startsWith('error'));
  expect(errors).toEqual(expected);
});

const mostSeconds = 99_999_999;

test.for<[string, number, number]>([
  ['TimeoutSeconds', 1, mostSeconds],
  ['States.W.Seconds', 0, mostSeconds],
  ['States.T.TimeoutSeconds', 1, mostSeconds],
  ['States.T.HeartbeatSeconds', 1, mostSeconds],
  ['States.T.Retry.0.IntervalSeconds', 0, mostSeconds],
  ['States.T.Retry.0.MaxAttempts', 0, mostSeconds],
  ['States.T.Retry.0.MaxDelaySeconds', 1, 31_622_399],
  ['States.M.MaxConcurrency', 0, mostSeconds],
  ['States.M.ToleratedFailureCount', 0, mostSeconds],
  ['States.M.ToleratedFailurePercentage', 0, 100],
])('%s may be from %d to %d', ([path, least, most]) => {
  const Retry = [{ ErrorEquals: ['States.ALL'] }];
  const workflow = {
    StartAt: 'W',
    States: {
      W: { Type: 'Wait', Seconds: 1, Next: 'T' },
      T: { Type: 'Task', Resource: 'arn:aws:lambda:us-east-1:1:function:f', Retry, Next: 'M' },
      M: { Type: 'Map', ItemProcessor: processor, End: true },
    },
  };
  const errorsWith = (value: number) =>
    findings(changed(workflow, path, value)).filter((one) => one.startsWith('error'));
  const error = `error shape/wrong-value ${path}`;
  const edges = [least - 1, least, most, most + 1];
  expect(edges.map(errorsWith)).toEqual([[error], [], [], [error]]);
});

test('only the first state of an unreachable chain is reported', () => {
  const States = {
    A: { Type: 'Succeed' },
    B: { Type: 'Pass', Next: 'C' },
    C: { Type: 'Pass', Next: 'D' },
    D: { Type: 'Pass', Next: 'C' },
    E: { Type: 'Pass', Next: 'F' },
    F: { Type: 'Pass', Next: 'E' },
  };
  expect(findings({ StartAt: 'A', States })).toEqual([
    'error asl/unreachable-state States.B',
    'error asl/unreachable-state States.E',
  ]);
});

test('all fields of the other query language are one finding', () => {
  const { diagnostics } = check(JSON.stringify(changed(jsonata, 'QueryLanguage', undefined)), {
    formats: [asl],
  });
  expect(diagnostics.map(({ code, related = [] }) => [code, related.length])).toEqual([
    ['asl/wrong-query-language', 1],
  ]);
});

test('an invalid template is reported in our own words', () => {
  const States = { In: { Type: 'Include', Template: 'part', End: true } };
  const definition = { StartAt: 'In', Imports: { part: './part.asl.json' }, States };
  const part = { StartAt: 'X', Parameters: {}, States: { X: { Type: 'Pass', End: 'yes' } } };
  const { diagnostics } = check(JSON.stringify(definition), {
    formats: [asl],
    options: { imports: { 'part.asl.json': part } },
  });
  expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([
    [
      'asl/bad-import',
      'The template "part" cannot be included. At States.X.End: Expected true or false, found the text "yes".',
    ],
  ]);
});

test('what AWS refuses in express workflows and in express children is an error', () => {
  const resources = {
    Token: 'arn:aws:states:::sqs:sendMessage.waitForTaskToken',
    Sync: 'arn:aws:states:::glue:startJobRun.sync',
    Activity: 'arn:aws:states:eu-west-1:123456789012:activity:pack',
  };
  const machine = (Resource: string) => ({
    StartAt: 'T',
    States: {
      T: { Type: 'Task', Resource, Parameters: { 'Token.$': '$$.Task.Token' }, End: true },
    },
  });
  const map = (ItemProcessor: object, mode: object = { Mode: 'INLINE' }) => ({
    StartAt: 'M',
    States: {
      M: { Type: 'Map', ItemProcessor: { ProcessorConfig: mode, ...ItemProcessor }, End: true },
    },
  });
  const distributed = (ExecutionType: string) => ({ Mode: 'DISTRIBUTED', ExecutionType });
  const findingsOf = (definition: object, kind: string) =>
    check(JSON.stringify(definition), { formats: [asl], options: { dialect: 'amazon', kind } })
      .diagnostics.filter(({ code }) => code === 'asl/waiting-in-express')
      .map(({ path }) => path.join('.'));
  const inner = 'States.M.ItemProcessor.States.T.Resource';
  for (const each of Object.values(resources)) {
    const children = map(machine(each), distributed('EXPRESS'));
    expect(findingsOf(machine(each), 'express')).toEqual(['States.T.Resource']);
    expect(findingsOf(map(machine(each)), 'express')).toEqual([inner]);
    expect(findingsOf(children, 'standard')).toEqual([inner]);
    expect(findingsOf(machine(each), 'standard')).toEqual([]);
    expect(findingsOf(map(machine(each), distributed('STANDARD')), 'standard')).toEqual([]);
  }
  expect(
    findingsOf(
      map(machine('arn:aws:lambda:eu-west-1:1:function:F'), distributed('EXPRESS')),
      'express',
    ),
  ).toEqual(['States.M.ItemProcessor.ProcessorConfig.Mode']);
});

test('a task without a worker names both, unless the dialect is chosen', () => {
  const definition = { StartAt: 'T', States: { T: { Type: 'Task', End: true } } };
  const messages = (options: JsonObject) =>
    check(JSON.stringify(definition), { formats: [asl], options }).diagnostics.map(
      ({ message }) => message,
    );
  expect(messages({})).toEqual(['A Task state needs "Agent" or "Resource".']);
  expect(messages({ dialect: 'amazon' })).toEqual(['A Task state needs "Resource".']);
});

describe('what should decide or protect and does not is reported', () => {
  const guarded = (part: object) =>
    changed(agent, 'States.Write', { ...agent.States.Write, ...part });

  test.each([
    [{ Guardrails: {} }, 'no-rules Guardrails'],
    [{ Guardrails: { Input: { OnFail: 'reject' } } }, 'no-rules Guardrails.Input'],
    [
      { Guardrails: { Input: { Rules: [{ Type: 'semantic', Check: 'harm' }] } } },
      'needs-judge Guardrails.Input.Rules.0.Type',
    ],
    [{ Tools: { Sandboxed: true } }, 'not-enforced Tools.Sandboxed'],
    [
      { Agent: 'plan:intake', Tools: { Denied: ['a'], RateLimits: { a: { MaxPerHour: 1 } } } },
      'not-enforced Tools.RateLimits',
    ],
    [{ Agent: 'workflow:inner', Audit: { Redact: ['$.card'] } }, 'not-enforced Audit.Redact'],
    [{ Agent: 'plan:intake', Generation: { MaxTokens: 9 } }, 'not-enforced Generation.MaxTokens'],
    [{ Type: 'Checkpoint', Name: 'n', Agent: undefined, Storage: 's' }, 'not-enforced Storage'],
    [{ Colour: 'red' }, 'unknown-field Colour'],
  ])('%j', (part, finding) => {
    const [code, path] = finding.split(' ') as [string, string];
    expect(findings(guarded(part))).toEqual([`warning asl/${code} States.Write.${path}`]);
  });

  test.each([
    [{ Guardrails: { Inputs: {}, Output: { Validator: 'V' } } }, 'Guardrails.Inputs'],
    [{ Tools: { Allow: ['a'] } }, 'Tools.Allow'],
    [{ Tools: { FileSystem: { AllowPaths: ['a'] } } }, 'Tools.FileSystem.AllowPaths'],
    [{ Tools: { Domains: { Deny: ['a'] } } }, 'Tools.Domains.Deny'],
    [{ Tools: { RateLimits: { a: { MaxPerSecond: 1 } } } }, 'Tools.RateLimits.a.MaxPerSecond'],
    [{ Budget: { MaxToken: 1 } }, 'Budget.MaxToken'],
    [{ Context: { MaxToken: 1 } }, 'Context.MaxToken'],
    [{ Guardrail: { Input: { Validator: 'V' } } }, 'Guardrail'],
    [{ TimeoutSecond: 1 }, 'TimeoutSecond'],
  ])('%j is an error', (part, path) => {
    expect(findings(guarded(part))).toEqual([`error asl/unsupported-field States.Write.${path}`]);
  });

  test('a missing judge that is planned for is no warning', () => {
    const semantic = { Guardrails: { Input: { Rules: [{ Type: 'semantic', Check: 'harm' }] } } };
    const caught = [{ ErrorEquals: ['Agent.GuardrailNotJudged'], Next: 'Done' }];
    const codes = (part: object, options = {}) =>
      check(JSON.stringify(guarded(part)), { formats: [asl], options }).diagnostics.map(
        ({ code }) => code,
      );
    const isReported = 'asl/needs-judge';
    expect(codes(semantic)).toContain(isReported);
    expect(codes(semantic, { judge: true })).not.toContain(isReported);
    expect(codes({ ...semantic, Catch: caught })).not.toContain(isReported);
    const all = [{ ErrorEquals: ['States.ALL'], Next: 'Done' }];
    expect(codes({ ...semantic, Catch: all })).toContain(isReported);
  });

  test.each([
    [{ Approver: ['ana'] }, 'Policy.Approver'],
    [{ Approvers: { User: ['ana'] } }, 'Policy.Approvers.User'],
    [{ ExcludeRequester: true }, 'Policy.ExcludeRequester'],
  ])('the policy %j', (policy, path) => {
    const definition = changed(agent, 'States.Check.Policy', policy);
    expect(findings(definition)).toEqual([`error asl/unsupported-field States.Check.${path}`]);
  });

  test('blocks for agents on a task of a service', () => {
    const { Agent: _, ...rest } = agent.States.Write;
    const blocks = {
      Guardrails: { Input: { Validator: 'V' } },
      Context: { Exclude: ['$.card'] },
      Reasoning: { Required: true },
      Memory: { Read: ['k'] },
      Cache: { Key: 'k' },
      IdempotencyKey: 'k',
    };
    const service = { ...rest, Resource: resource, ...blocks };
    expect(findings(changed(agent, 'States.Write', service))).toEqual(
      Object.keys(blocks).map(
        (name, at) => `${at < 3 ? 'error' : 'warning'} asl/not-enforced States.Write.${name}`,
      ),
    );
  });

  test('a denied name that is a slip of a category', () => {
    const tools = { ToolCategories: { dangerous: ['sudo'] } };
    const definition = { ...guarded({ Tools: { Denied: ['dangerus'] } }), ...tools };
    expect(findings(definition)).toEqual([
      'warning asl/unknown-denied States.Write.Tools.Denied.0',
    ]);
  });

  test('a pattern that blocks nothing is an error', () => {
    const part = { Guardrails: { Input: { Rules: [{ Type: 'pattern', Block: [] }] } } };
    expect(findings(guarded(part))).toEqual([
      'error asl/empty-list States.Write.Guardrails.Input.Rules.0.Block',
    ]);
  });
});

describe('texts that nothing reads as a query', () => {
  const inState = (fields: object) =>
    findings({ StartAt: 'A', States: { A: { ...fields, End: true } } });
  const pass = (fields: object) => inState({ Type: 'Pass', ...fields });

  test.for([
    [{ Parameters: { Payload: '$.order' } }, 'Parameters.Payload'],
    [{ Parameters: { deep: [{ id: '$$.Execution.Id' }] } }, 'Parameters.deep.0.id'],
    [{ Parameters: { ids: ['$.a', 'b'] } }, 'Parameters.ids.0'],
    [{ Parameters: { id: 'States.UUID()' } }, 'Parameters.id'],
    [{ Parameters: { first: '$[0]' } }, 'Parameters.first'],
    [{ Assign: { order: '$.order' } }, 'Assign.order'],
    [{ Result: { 'id.$': '$.id' } }, 'Result.id.$'],
    [{ QueryLanguage: 'JSONata', Output: { id: '$states.input.id' } }, 'Output.id'],
    [{ QueryLanguage: 'JSONata', Assign: { id: '$.id' } }, 'Assign.id'],
  ] as const)('%j', ([fields, path]) => {
    expect(pass(fields)).toEqual([`warning asl/literal-query States.A.${path}`]);
  });

  test.for([
    { Parameters: { 'Payload.$': '$.order' } },
    { Parameters: { price: '$5', sign: '$', rest: '$$', text: '$.. and so on' } },
    { Parameters: { InputPath: '$.detail', InputPathsMap: { id: '$.detail.id' } } },
    { Parameters: { note: 'States.Unknown()', other: 'States.Format' } },
    { Result: { path: '$.order' } },
    { Comment: '$.order' },
    { QueryLanguage: 'JSONata', Output: '{% $states.input %}' },
    { QueryLanguage: 'JSONata', Output: { price: '$5', sign: '$' } },
  ])('but not in %j', (fields) => {
    expect(pass(fields)).toEqual([]);
  });
});

test.for([
  ['$uper("a")', 'warning asl/unknown-jsonata-function States.B.Output'],
  [
    '$states.input.list.{ "n": $lenght(name) }',
    'warning asl/unknown-jsonata-function States.B.Output',
  ],
  ['"a" ~> $uper', 'warning asl/unknown-jsonata-function States.B.Output'],
  ['$eval("1")', 'warning asl/unknown-jsonata-function States.B.Output'],
  ['$sum([1, 2]) & $uuid()', undefined],
  ['($twice := function($n) { $n * 2 }; $map([1], $twice) ~> $sum; $twice(2))', undefined],
  ['(function($f) { $f(1) })($string)', undefined],
  ['$partition([1, 2], 1) ~> $count', undefined],
  ['$toMillis($now()) - $millis()', undefined],
  ['$substring(?, 0, 2)("abc")', undefined],
])('a JSONata expression with %s', ([expression, finding]) => {
  const definition = changed(jsonata, 'States.B.Output', `{% ${expression} %}`);
  expect(findings(definition)).toEqual(finding === undefined ? [] : [finding]);
});

test('every function of JSONata that is known can be called', () => {
  const missing = jsonataFunctions.filter((name) => {
    const call = () => compileExpression(`{% $${name}() %}`, 'Output')(scope);
    return /T1006/.test(String(faultOf(call)));
  });
  expect(missing).toEqual([]);
});

test.for([
  ["States.Format('{} is {}', 1, 2)", []],
  [String.raw`States.Format('\{"id":"{}"\}', $.id)`, []],
  ['States.Format($.template, 1, 2)', []],
  ["States.Format('{} is {}', 1)", ['warning asl/failing-intrinsic States.A.Parameters.x.$']],
  ["States.Format('{name}', 1)", ['warning asl/failing-intrinsic States.A.Parameters.x.$']],
] as const)('%s', ([call, expected]) => {
  const A = { Type: 'Pass', Parameters: { 'x.$': call }, End: true };
  expect(findings({ StartAt: 'A', States: { A } })).toEqual(expected);
});

test.for<[string, readonly string[]]>([
  ['$.items.length()', ['warning asl/dead-step States.P.Parameters.a.$']],
  ['$.items[*].price.sum()', ['warning asl/dead-step States.P.Parameters.a.$']],
  ['$.items[-1].id', ['warning asl/dead-step States.P.Parameters.a.$']],
  ["$.items['length()']", ['warning asl/dead-step States.P.Parameters.a.$']],
  ['$.items[-1:]', []],
  ['$.items[(@.length-1)]', []],
])('a path may lead nowhere in AWS: %s', ([path, expected]) => {
  const P = { Type: 'Pass', Parameters: { 'a.$': path }, End: true };
  expect(findings({ StartAt: 'P', States: { P } })).toEqual(expected);
});

test.for<[string, object, readonly string[]]>([
  ['a', {}, ['warning asl/shadowed-variable States.M.ItemProcessor.States.P.Assign.a']],
  ['b', {}, []],
  ['a', { ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' } }, []],
])('an item sets "%s", which its Map sets too, with %j', ([name, config, expected]) => {
  const ItemProcessor = {
    ...config,
    StartAt: 'P',
    States: { P: { Type: 'Pass', Assign: { [name]: 1 }, End: true } },
  };
  const M = { Type: 'Map', ItemProcessor, Assign: { 'a.$': '$' }, End: true };
  expect(findings({ StartAt: 'M', States: { M } })).toEqual(expected);
});
