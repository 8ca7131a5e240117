import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { dramaturg } from './command.ts';

const cwd = mkdtempSync(join(tmpdir(), 'dramaturg-inside-'));

const template = `AWSTemplateFormatVersion: '2010-09-09'
Resources:
  OrderMachine:
    Type: AWS::Serverless::StateMachine
    Properties:
      DefinitionSubstitutions: { ChargeArn: !GetAtt Charge.Arn, Limit: !Ref Limit }
      Definition:
        StartAt: Charge
        States:
          Charge:
            Type: Task
            Resource: \${ChargeArn}
            TimeoutSeconds: \${Limit}
            Parameters: { Table: \${Table} }
            End: true
  Broken:
    Type: AWS::StepFunctions::StateMachine
    Properties:
      DefinitionString: !Sub |
        {
          "StartAt": "Ask",
          "States": { "Ask": { "Type": "Task", "Resource": "\${Ask.Arn}", "Next": "Nowhere" } }
        }
  Local:
    Type: AWS::Serverless::StateMachine
    Properties: { DefinitionUri: sm/local.asl.json, DefinitionSubstitutions: { Fn: lookup } }
  Remote:
    Type: AWS::StepFunctions::StateMachine
    Properties: { DefinitionS3Location: { Bucket: b, Key: k } }
`;
writeFileSync(join(cwd, 'template.yaml'), template);
mkdirSync(join(cwd, 'sm'));
writeFileSync(
  join(cwd, 'sm', 'local.asl.json'),
  '{"StartAt":"A","States":{"A":{"Type":"Task","Resource":"${Fn}","TimeoutSeconds":${T},"End":true}}}',
);
const plain = 'pause.asl.json';
writeFileSync(
  join(cwd, plain),
  '{"StartAt":"A","States":{"A":{"Type":"Wait","Seconds":${Pause},"End":true}}}',
);

test('check finds all definitions of a file, and reports at their lines', async () => {
  const { code, stdout } = await dramaturg(['check', 'template.yaml'], { cwd });
  expect(code).toBe(1);
  expect(stdout).toContain('asl/unknown-target');
  expect(stdout).toContain('template.yaml:22:82');
  expect(stdout).toContain(
    'template.yaml: 4 definitions: OrderMachine, Broken, Local (in "sm/local.asl.json"), Remote (in "s3://b/k", not checked)',
  );
});

test('one of them is checked by its name', async () => {
  const { code, stdout } = await dramaturg(['check', 'template.yaml#OrderMachine'], { cwd });
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout:
      'template.yaml: 1 definition: OrderMachine\n✓ template.yaml: a workflow, no errors, no warnings.\n',
  });
  const wrong = await dramaturg(['check', 'template.yaml#Ordermachine'], { cwd });
  expect(wrong.stderr).toContain('hint: Did you mean "OrderMachine"?');
});

test('the report in JSON names them', async () => {
  const { stdout } = await dramaturg(['check', 'template.yaml', '--json'], { cwd });
  const { files } = JSON.parse(stdout) as { files: object[] };
  expect(files).toMatchObject([
    { file: 'template.yaml', definition: 'OrderMachine', format: 'asl', diagnostics: [] },
    { definition: 'Broken', diagnostics: [{ code: 'asl/unknown-target' }] },
    { file: join('sm', 'local.asl.json'), definition: 'Local', diagnostics: [] },
    { definition: 'Remote', location: '"s3://b/k"', diagnostics: [] },
  ]);
});

test('a run with placeholders that matter is refused, and names them and the flag', async () => {
  const run = ['run', 'template.yaml#OrderMachine', '--json'];
  const refused = await dramaturg(run, { cwd });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('The placeholder "${Limit}" has no value.');
  expect(refused.stderr).toContain('--set Limit=…');
  expect(refused.stderr).not.toContain('ChargeArn');

  const filled = await dramaturg([...run, '--set', 'Limit=30', '--set', 'Table=orders'], { cwd });
  expect(filled.code).toBe(0);
  expect(filled.stdout).toContain('"output":{"Table":"orders"}');
});

test('values come from a file too, and --set wins', async () => {
  writeFileSync(join(cwd, 'values.yaml'), 'Pause: 3\n');
  const mermaid = await dramaturg(['compile', plain, '--to', 'mermaid'], { cwd });
  expect(mermaid.code).toBe(0);
  const run = (...more: string[]) => dramaturg(['run', plain, '--no-wait', ...more], { cwd });
  expect((await run('--substitutions', 'values.yaml')).code).toBe(0);
  writeFileSync(join(cwd, 'list.json'), '[{"ParameterKey":"Pause","ParameterValue":"3"}]');
  expect((await run('--substitutions', 'list.json')).code).toBe(0);
  writeFileSync(join(cwd, 'config.json'), '{"Parameters":{"Pause":"3"}}');
  expect((await run('--substitutions', 'config.json')).code).toBe(0);
  const wrong = await run('--substitutions', 'values.yaml', '--set', 'Pause=soon');
  expect(wrong.stderr).toContain('found the text "soon"');
  const none = await run('--substitutions', 'template.yaml', '--set', 'Pause');
  expect(none.stderr).toContain('The placeholder "Pause" has no value.');
});

test('a definition that a template only names is run from its file', async () => {
  writeFileSync(join(cwd, 'agents.mjs'), `export const lookup = () => 'found';`);
  const run = ['run', 'template.yaml#Local', '--agents', 'agents.mjs', '--set', 'T=5', '--json'];
  expect((await dramaturg(run, { cwd })).stdout).toContain('"output":"found"');
});

test('agents are found by patterns of names', async () => {
  const agents = `export default { '\${Charge*}': (input, { agent }) => 'by ' + agent };`;
  writeFileSync(join(cwd, 'patterns.mjs'), agents);
  const run = ['run', 'template.yaml#OrderMachine', '--set', 'Limit=9', '--json'];
  const { stdout } = await dramaturg([...run, '--agents', 'patterns.mjs'], { cwd });
  expect(stdout).toContain('"output":"by ${ChargeArn}"');
});

test('a single state of a definition inside a file is tested', async () => {
  const state = ['test-state', 'template.yaml#OrderMachine', '--state', 'Charge', '--json'];
  const mock = ['--set', 'Limit=9', '--mock', '{"result": 3}'];
  expect(JSON.parse((await dramaturg([...state, ...mock], { cwd })).stdout)).toMatchObject({
    status: 'SUCCEEDED',
  });
});

test('what cannot be run is refused with what to do', async () => {
  const refused = async (file: string) => (await dramaturg(['run', file], { cwd })).stderr;
  expect(await refused('template.yaml')).toContain(
    'Name one: template.yaml#OrderMachine, template.yaml#Broken, template.yaml#Local, template.yaml#Remote',
  );
  expect(await refused('template.yaml#Remote')).toContain('it is in "s3://b/k".');
  expect(await refused(`${plain}#A`)).toContain('is a definition and has none inside.');
});

test('a definition inside a file is started in a store as a definition of its own', async () => {
  const start = ['start', 'runs', 'template.yaml#OrderMachine', '--set', 'Limit=30', '--json'];
  const { code, stdout } = await dramaturg([...start, '--within', '20000'], { cwd });
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('"id"') });
});

test('a placeholder without quotes is a mistake in other formats', async () => {
  const text = '{ "title": ${title}, "states": [] }';
  const { stdout } = await dramaturg(['check', '-', '--format', 'plan'], { input: text });
  expect(stdout).toContain('read/syntax');
});
