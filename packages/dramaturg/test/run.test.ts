import { describe, expect, test } from 'vitest';
import { dramaturg, eventsOf, folderWith, smallPlan } from './command.ts';

const intake = 'customer-intake.plan.json';
const script = ['--script', 'customer-intake.transcript'];

const session = {
  session_context: {
    fields: [
      { id: 'company', label: 'Company', type: 'string' },
      { id: 'seats', label: 'Seats', type: 'number' },
      { id: 'plan', label: 'Plan', type: 'select', options: ['basic', "pro'fessional"] },
      { id: 'note', label: 'Note', type: 'string', required: false },
    ],
  },
};

test('a script is played to the end', async () => {
  const { code, stdout, stderr } = await dramaturg(['run', intake, ...script, '--json']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(eventsOf(stdout).at(-1)).toEqual({
    type: 'conversation.ended',
    outcome: 'completed',
    state: 'farewell',
    deliverables: {
      customer_name: 'Maria',
      account_number: '4711-B',
      issue_type: 'billing',
      invoice_number: 'INV-2031',
      disputed_amount: 49.9,
    },
  });
});

test('people see who says what, what is collected, and how it came out', async () => {
  const { code, stdout } = await dramaturg(['run', intake, ...script]);
  expect(code).toBe(0);
  for (const line of [
    'Customer support',
    /^── Customer Intake ─+$/m,
    /^agent {2}What is your account number\?$/m,
    /^you {4}Hello, I am Maria$/m,
    /^ {5}✓ customer_name = "Maria"$/m,
    /^ {5}· task identify is done$/m,
    /^ {2}disputed_amount {3}49\.9$/m,
    '✓ The conversation is completed. It ended in "Farewell".',
  ]) {
    expect(stdout).toMatch(line);
  }
  expect(stdout).not.toContain('\u001B');
});

test('a correction is shown with what was before', async () => {
  const input = 'Maria\nActually, my name is Anna\n';
  const { stdout } = await dramaturg(['run', intake], { input });
  expect(stdout).toContain('✓ customer_name = "Anna", before: "Maria"');
});

test('lines come from a pipe, one a message, and blank ones are ignored', async () => {
  const { code, stdout } = await dramaturg(['run', intake, '--json'], {
    input: 'Maria\n\n   \r\n4711\r\ntechnical',
  });
  expect(code).toBe(0);
  expect(eventsOf(stdout).at(-1)).toMatchObject({
    type: 'conversation.ended',
    outcome: 'unfinished',
    state: 'technical-support',
    deliverables: { customer_name: 'Maria', account_number: '4711', issue_type: 'technical' },
  });
});

test('without any line the conversation stays unfinished, and says how to go on', async () => {
  const { code, stdout } = await dramaturg(['run', intake]);
  expect(code).toBe(0);
  expect(stdout).toContain('Nothing was collected.');
  expect(stdout).toContain('! The conversation stopped in "Greeting". Still open: customer_name.');
  expect(stdout).toContain('To go on, pass more lines and run it again.');
  const json = await dramaturg(['run', intake, '--json']);
  expect(eventsOf(json.stdout).at(-1)).toEqual({
    type: 'conversation.ended',
    outcome: 'unfinished',
    state: 'greeting',
    deliverables: {},
  });
});

test('lines after the end are of no account', async () => {
  const cwd = await folderWith({ 'small.plan.json': smallPlan() });
  const ended = await dramaturg(['run', 'small.plan.json', '--json'], {
    cwd,
    input: 'Ada\nmore\nand more\n',
  });
  expect(eventsOf(ended.stdout).at(-1)).toMatchObject({
    outcome: 'completed',
    deliverables: { name: 'Ada' },
  });
});

describe('fields that are asked for before the conversation', () => {
  const fields = { company: 'Acme', seats: 3, plan: 'basic' };

  test.for([
    ['inline', JSON.stringify({ session: fields })],
    ['inline, the fields alone', JSON.stringify(fields)],
    ['a file', 'input.json'],
  ])('are given as %s', async ([, given = '']) => {
    const cwd = await folderWith({
      'small.plan.json': smallPlan(session),
      'input.json': JSON.stringify({ session: fields }),
    });
    const { code, stdout } = await dramaturg(
      ['run', 'small.plan.json', '--json', '--input', given],
      { cwd, input: 'Ada' },
    );
    expect(code).toBe(0);
    expect(eventsOf(stdout).at(-1)).toMatchObject({ outcome: 'completed' });
  });

  test('are refused when the plan does not declare them, with the declared ones', async () => {
    const cwd = await folderWith({
      'form.plan.json': smallPlan(session),
      'plain.plan.json': smallPlan(),
    });
    const misspelt = JSON.stringify({ ...fields, compny: 'Acme' });
    const { code, stderr } = await dramaturg(['run', 'form.plan.json', '--input', misspelt], {
      cwd,
    });
    expect(code).toBe(2);
    expect(stderr).toContain(
      'error: The conversation cannot begin: "session.compny" is unknown. Did you mean "company"? Known: company, seats, plan, note.\n',
    );
    const none = await dramaturg(['run', 'plain.plan.json', '--input', '{"company":"Acme"}'], {
      cwd,
    });
    expect(none).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'error: The conversation cannot begin: "session.company" is unknown. Known: no fields.\n' +
        'hint: Correct the value of --input, or leave the option out.\n',
    });
  });

  test('are all named when they are missing, with an example to copy', async () => {
    const cwd = await folderWith({ 'small.plan.json': smallPlan(session) });
    expect(await dramaturg(['run', 'small.plan.json'], { cwd })).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'error: The conversation cannot begin: "company" (Company) is missing. "seats" (Seats) is missing. "plan" (Plan) is missing.\n' +
        `hint: Pass the fields, such as: dramaturg run small.plan.json --input '{"session":{"company":"...","seats":1,"plan":"basic"}}'\n`,
    });
  });
});

test('escape sequences of a definition and of a person are shown, not sent', async () => {
  const cwd = await folderWith({
    'small.plan.json': smallPlan({ title: 'Small \u001B]0;owned\u0007 talk\u009B2J' }),
  });
  const { stdout } = await dramaturg(['run', 'small.plan.json'], {
    cwd,
    input: 'Ada \u001B[31mred\u202E',
  });
  expect(stdout).toContain('␛]0;owned␇');
  expect(stdout).toContain('you    Ada ␛[31mred<U+202E>');
  for (const sign of ['\u001B', '\u0007', '\u009B', '\u202E']) expect(stdout).not.toContain(sign);
  const json = await dramaturg(['run', 'small.plan.json', '--json'], {
    cwd,
    input: 'Ada \u009B2J',
  });
  expect(json.stdout).not.toContain('\u009B');
});

test('a script in which nobody speaks is not played', async () => {
  const cwd = await folderWith({ 'small.plan.json': smallPlan(), 'empty.transcript': '\n\n' });
  const { code, stderr } = await dramaturg(
    ['run', 'small.plan.json', '--script', 'empty.transcript'],
    { cwd },
  );
  expect(code).toBe(2);
  expect(stderr).toContain('error: The script "empty.transcript" has no lines of the person.');
});

test('a definition with errors is not run', async () => {
  const { code, stdout, stderr } = await dramaturg(['run', '-', ...script], {
    input: smallPlan({ initial_state_id: 'helo' }),
  });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('error plan/unknown-initial-state');
});

describe('a wrong call is told in a sentence, with what to do, and code 2', () => {
  test.for([
    [['run', 'no.plan.json'], 'error: There is no file "no.plan.json".'],
    [['run', '-'], "error: Standard input cannot give both the definition and the person's lines."],
    [['run', intake, '--script', 'no.transcript'], 'error: There is no file "no.transcript".'],
    [
      ['run', intake, '--speed', 'fast'],
      "error: Option '--speed <number>' argument 'fast' is invalid.",
    ],
    [['run', intake, '--input', '{"session": {]'], 'error: --input is not JSON'],
    [
      ['run', intake, '--input', 'customer-intake.transcript'],
      'error: "customer-intake.transcript" is not JSON',
    ],
    [['run', intake, 'yes'], 'error: Too many arguments'],
  ] as const)('%s', async ([args, error]) => {
    const { code, stdout, stderr } = await dramaturg(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(error);
    expect(stderr).toMatch(/^hint: /m);
  });
});

test('a scenario for an NPC is held too, and its outcome is told', async () => {
  const folder = await folderWith({ 'door.npc.json': door });
  const run = ['run', `${folder}/door.npc.json`, '--input', '{ "player": { "name": "Ada" } }'];
  const lines = { input: 'I am Ada, the stranger\n' };
  const json = await dramaturg([...run, '--json'], lines);
  expect(eventsOf(json.stdout).at(-1)).toMatchObject({
    type: 'conversation.ended',
    outcome: 'ACCEPT',
    state: 'room',
  });
  const { code, stdout } = await dramaturg(run, lines);
  expect(code).toBe(0);
  expect(stdout).toMatch(/verdict: pass/);
  expect(stdout).toMatch(/^── ACCEPT ─+$/m);
  expect(stdout).toContain('The conversation ended with ACCEPT in "Room".');
});

const door = JSON.stringify({
  persona: { name: 'Maren', persona_identity_prompt: 'You keep a light.' },
  machines: [
    {
      machine_key: 'shelter',
      scoring_mode: 'pass_fail',
      states: [
        {
          state_key: 'door',
          label: 'Door',
          prompt_instruction: 'Ask who is there.',
          is_initial_state: true,
          evaluation_criteria: { pass: 'The stranger says who they are.' },
        },
        {
          state_key: 'room',
          label: 'Room',
          prompt_instruction: 'Hand over the lamp.',
          is_terminal_state: true,
        },
      ],
      transitions: [{ from_state_key: 'door', to_state_key: 'room', decision_type: 'pass' }],
    },
  ],
});
