import { check, placesIn } from '@dramaturg/compiler';
import type { PlaceholderValues } from '@dramaturg/compiler/format';
import { describe, expect, test } from 'vitest';
import { runsAll } from '../../../../.config/scaled.ts';
import { asl } from '../src/index.ts';

const formats = [asl];

/** Each definition of a file: where it is, or its errors with their lines. */
function checked(text: string, fileName: string, values: PlaceholderValues = {}) {
  const found = placesIn(text, { formats, fileName, values });
  return Object.fromEntries(
    (found?.places ?? []).map(({ name, source, elsewhere, ...place }) => {
      if (!source) return [name, elsewhere];
      const { diagnostics } = check(source, { formats, ...place });
      const errors = diagnostics.filter(({ severity }) => severity === 'error');
      return [name, errors.map(({ code, range }) => `${range.start.line} ${code}`)];
    }),
  );
}

const wrongObject = `
        StartAt: Ask
        States:
          Ask:
            Type: Task
            Resource: !GetAtt Ask.Arn
            TimeoutSeconds: \${Limit}
            Next: Nowhere`;

describe('CloudFormation and SAM', () => {
  test('objects and texts are checked where they are written', () => {
    const template = `
Resources:
  Queue: { Type: AWS::SQS::Queue }
  Plain:
    Type: AWS::Serverless::StateMachine
    Properties:
      Definition:${wrongObject}
  Text:
    Type: AWS::StepFunctions::StateMachine
    Properties:
      DefinitionString: !Sub
        - |
          {
            "StartAt": "Rest",
            "States": {
              "Rest": { "Type": "Wait", "Seconds": \${pause}, "Next": "Nowhere" }
            }
          }
        - pause: !Ref Pause
`;
    expect(checked(template, 'template.yaml')).toEqual({
      Plain: ['14 asl/unknown-target'],
      Text: ['23 asl/unknown-target'],
    });
  });

  test('the templates of the CDK join their texts from pieces', () => {
    const template = JSON.stringify(
      {
        Resources: {
          Made: {
            Type: 'AWS::StepFunctions::StateMachine',
            Properties: {
              DefinitionString: {
                'Fn::Join': [
                  '',
                  [
                    '{"StartAt":"A","States":{"A":{"Type":"Task","Resource":"',
                    { 'Fn::GetAtt': ['Fn', 'Arn'] },
                    '","Next":"B"},"B":{"Type":"Task","Resource":"arn:',
                    { Ref: 'AWS::Partition' },
                    ':states:::sns:publish","TimeoutSeconds":',
                    { Ref: 'Limit' },
                    ',"Next":"C"}}}',
                  ],
                ],
              },
            },
          },
        },
      },
      null,
      1,
    );
    const line = template.split('\n').findIndex((one) => one.includes('Next\\":\\"C')) + 1;
    expect(checked(template, 'stack.template.json')).toEqual({
      Made: [`${line} asl/unknown-target`],
    });
  });

  test('definitions elsewhere are named', () => {
    const template = `
Resources:
  A: { Type: AWS::Serverless::StateMachine, Properties: { DefinitionUri: sm/a.asl.json } }
  B: { Type: AWS::Serverless::StateMachine, Properties: { DefinitionUri: s3://b/k } }
  C: { Type: AWS::StepFunctions::StateMachine, Properties: { DefinitionS3Location: { Bucket: b, Key: !Ref K } } }
`;
    expect(checked(template, 'template.yaml')).toEqual({
      A: { location: '"sm/a.asl.json"', file: 'sm/a.asl.json' },
      B: { location: '"s3://b/k"' },
      C: { location: '"s3://b/${K}"' },
    });
  });

  test('a state machine without a definition is refused at its place', () => {
    const template = 'Resources:\n  A: { Type: AWS::Serverless::StateMachine, Properties: {} }\n';
    expect(checked(template, 'template.yaml')).toEqual({ A: ['2 shape/missing-field'] });
  });

  test('functions give values, or placeholders where only the deployment knows', () => {
    const template = `
Parameters:
  Limit: { Type: Number, Default: 9 }
  Key: { Type: String }
Mappings: { Stages: { dev: { Table: orders } } }
Resources:
  A:
    Type: AWS::StepFunctions::StateMachine
    Properties:
      DefinitionSubstitutions: { Fn: !GetAtt F.Arn, Max: !Ref Limit, Dead: !Ref Key }
      Definition:
        StartAt: S
        States:
          S:
            Type: Pass
            Result:
              join: !Join ['-', [a, !Ref Limit]]
              map: !FindInMap [Stages, dev, Table]
              unknown: !FindInMap [Stages, !Ref Stage, Table]
              if: !If [Production, 1, 2]
              select: !Select [1, [x, y]]
              import: !ImportValue shared
              other: { Fn::Base64: x }
              none: !Ref AWS::NoValue
            End: true
`;
    const [place] = placesIn(template, { formats, fileName: 'a.yaml' })!.places;
    const result = (value: unknown) =>
      (value as { States: { S: { Result: unknown } } }).States.S.Result;
    expect(result(place!.source!.value)).toEqual({
      join: 'a-${Limit}',
      map: 'orders',
      unknown: '${Stages.Stage.Table}',
      if: 1,
      select: 'y',
      import: '${shared}',
      other: '${Fn::Base64}',
    });
    expect(place!.values).toMatchObject({ Limit: 9, Max: '9' });
    expect(place!.values).not.toHaveProperty('Fn');
    const given = { Key: 'k', Production: 'false' };
    const [again] = placesIn(template, { formats, fileName: 'a.yaml', values: given })!.places;
    expect(again!.values).toMatchObject({ Dead: 'k' });
    expect(result(again!.source!.value)).toMatchObject({ if: 2 });
  });

  test('an express state machine is checked as one', () => {
    const wait = (type: string) => `
Resources:
  A:
    Type: AWS::Serverless::StateMachine
    Properties:
      Type: ${type}
      Definition:
        StartAt: S
        States:
          S: { Type: Task, Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken', Parameters: { FunctionName: f, 'Payload': { 't.$': $$.Task.Token } }, End: true }
`;
    expect(checked(wait('STANDARD'), 'a.yaml')).toEqual({ A: [] });
    expect(checked(wait('EXPRESS'), 'a.yaml')['A']).not.toEqual([]);
  });

  test('a template without state machines is no such file', () => {
    const template = 'Resources: { Queue: { Type: AWS::SQS::Queue } }';
    expect(placesIn(template, { formats, fileName: 'a.yaml' })).toBeUndefined();
  });
});

test('the serverless framework has state machines and resources', () => {
  const file = `
service: s
custom: { stage: "\${opt:stage, 'dev'}" }
stepFunctions:
  stateMachines:
    first:
      name: first-\${self:custom.stage}
      definition:${wrongObject}
    second: { definition: "\${file(sm/second.asl.yml)}" }
    third: \${file(sm/third.yml):machine}
resources:
  Resources:
    Own:
      Type: AWS::StepFunctions::StateMachine
      Properties: { DefinitionString: '{"StartAt":"A","States":{"A":{"Type":"Succeed"}}}' }
`;
  expect(checked(file, 'serverless.yml')).toEqual({
    first: ['15 asl/unknown-target'],
    second: { location: '"${file(sm/second.asl.yml)}"', file: 'sm/second.asl.yml' },
    third: { location: '"${file(sm/third.yml):machine}"' },
    Own: [],
  });
  const alone = file.slice(file.indexOf('  stateMachines'), file.indexOf('resources:'));
  expect(Object.keys(checked(alone.replaceAll(/^ {2}/gm, ''), 'machines.yml'))).toEqual([
    'first',
    'second',
    'third',
  ]);
});

test('a definition that another file includes may have functions too', () => {
  const text = `
StartAt: A
States:
  A:
    Type: Task
    Resource: !GetAtt Orders.Arn
    TimeoutSeconds: { Ref: Limit }
    Parameters: { Ref: kept }
    Next: B
`;
  const { diagnostics, filled } = check(text, { formats, fileName: 'a.asl.yml' });
  expect(diagnostics.map(({ code, range }) => `${range.start.line} ${code}`)).toEqual([
    '9 asl/unknown-target',
  ]);
  expect(filled).toMatchObject({
    States: { A: { TimeoutSeconds: 1, Parameters: { Ref: 'kept' } } },
  });
});

const wrongText = '{"StartAt":"A","States":{"A":{"Type":"Task","Resource":"${f.arn}","Next":"B"}}}';

test('Terraform has definitions in its JSON', () => {
  const resource = { aws_sfn_state_machine: { orders: { definition: wrongText } } };
  expect(checked(JSON.stringify({ resource }), 'main.tf.json')).toEqual({
    orders: ['1 asl/unknown-target'],
  });
  const resources = [
    { address: 'x.y', type: 'aws_sfn_state_machine', values: { definition: wrongText } },
  ];
  const shown = {
    planned_values: { root_module: { child_modules: [{ resources }] } },
  };
  expect(checked(JSON.stringify(shown), 'plan.json')).toEqual({ 'x.y': ['1 asl/unknown-target'] });
});

test('Terraform has definitions in heredocs, and names those that it computes', () => {
  const file = `
# resource "aws_sfn_state_machine" "none" { definition = "{}" }
resource "aws_sfn_state_machine" "orders" {
  name       = "orders-\${var.stage}"
  definition = <<-EOF
    {
      "StartAt": "A",
      "States": {
        "A": { "Type": "Task", "Resource": "\${lookup(var.f, "a")}",
               "TimeoutSeconds": \${var.limit}, "Next": "B" }
      }
    }
  EOF
  timeouts {
    create = "1m"
  }
}
resource "aws_sfn_state_machine" "short" { definition = "{\\"StartAt\\":\\"A\\",\\"States\\":{\\"A\\":{\\"Type\\":\\"Succeed\\"}}}" }
resource "aws_sfn_state_machine" "made" {
  definition = jsonencode({ StartAt = "A", States = {} })
}
resource "aws_sfn_state_machine" "local" {
  definition = local.definition

  logging_configuration { level = "ALL" }
}
resource "aws_sfn_state_machine" "file" {
  definition = templatefile("\${path.module}/sm/a.asl.json", { f = aws_lambda.f.arn })
  tags = { a = "b" }
}
`;
  expect(checked(file, 'main.tf')).toEqual({
    orders: ['10 asl/unknown-target'],
    short: [],
    made: ['20 asl/no-states'],
    local: {
      location: 'an expression of Terraform: local.definition',
      hint: expect.stringContaining('terraform show -json') as string,
    },
    file: { location: '"sm/a.asl.json"', file: 'sm/a.asl.json', isComputed: expect.any(Function) },
  });
});

test('what is not closed in a file of Terraform ends with the file', () => {
  for (const end of ['<<EOF\n{', '"{', '"${"', '{ definition = <<EOF', '/*', '}}}'])
    expect(
      placesIn(`resource "aws_sfn_state_machine" "a" { definition = ${end}`, {
        formats,
        fileName: 'a.tf',
      })?.places.length ?? 0,
    ).toBeLessThan(2);
});

test('deep and hostile templates are bounded', () => {
  const deep = `Resources:\n  A:\n    Type: AWS::StepFunctions::StateMachine\n    Properties:\n      Definition: ${'{a: '.repeat(200)}1${'}'.repeat(200)}\n`;
  expect(placesIn(deep, { formats, fileName: 'a.yaml' })).toBeUndefined();
  const cyclic =
    'Resources:\n  A:\n    Type: AWS::StepFunctions::StateMachine\n    Properties: &p\n      Definition: { StartAt: *p }\n';
  const [place] = placesIn(cyclic, { formats, fileName: 'a.yaml' })!.places;
  const { diagnostics } = check(place!.source!, { formats, format: 'asl' });
  expect(diagnostics.map(({ code }) => code)).toContain('read/cyclic-alias');
});

test('large files take time in proportion to their size', ({ skip }) => {
  skip(!runsAll);
  const machine = 'resource "aws_sfn_state_machine" "a" { definition = ';
  const count = (text: string) => placesIn(text, { formats, fileName: 'a.tf' })?.places.length;
  expect(count(machine.repeat(15_000))).toBe(1);
  expect(count(`${machine}"{}" }\n`.repeat(15_000))).toBe(15_000);
  const parameters = Array.from({ length: 2_000 }, (_, index) => [`P${index}`, { Default: 'x' }]);
  const resources = parameters.map(([name]) => [
    name,
    { Type: 'AWS::StepFunctions::StateMachine', Properties: { Definition: {} } },
  ]);
  const template = {
    Parameters: Object.fromEntries(parameters) as object,
    Resources: Object.fromEntries(resources) as object,
  };
  const found = placesIn(JSON.stringify(template), { formats, fileName: 'a.json' });
  expect(found?.places).toHaveLength(2_000);
});
