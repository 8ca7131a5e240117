import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile } from 'dramaturg';
import { play, PlayError } from 'dramaturg/testing';
import { expect, test } from 'vitest';
import { examples } from '../command.ts';
import { intake } from './stage.ts';

const order = compile(readFileSync(join(examples, 'order.asl.json'), 'utf8'));
const input = { input: { items: ['book'] } };

test('a conversation is played step by step', async () => {
  const played = play(compile(intake), [
    { asks: ['customer_name'], said: 'what is your NAME?' },
    { person: 'Ada', collected: { customer_name: 'Ada', account_number: null }, unsaid: 'goodbye' },
    { person: '4711', asks: ['issue_type'] },
  ]);
  await expect(played).resolves.toBeUndefined();
});

test('what does not hold is told with the step, what was expected and what was found', async () => {
  const steps = [{ person: 'Ada', collected: { customer_name: 'Bob' }, state: 'customer-intake' }];
  await expect(play(compile(intake), steps)).rejects.toThrow(
    new PlayError(
      'Step 1, collected: What is collected at customer_name: found "Ada", expected "Bob".',
    ),
  );
});

test('answers of ports are used in the order of the calls, and every one has to be asked for', async () => {
  const person = { person: 'hm', collected: { customer_name: 'Zoe' } };
  const extract = { extract: { customer_name: 'Zoe' } };
  await play(compile(intake), [
    { ...person, answers: [extract, { reply: 'Fine.' }], said: 'Fine.' },
  ]);
  await expect(
    play(compile(intake), [{ ...person, answers: [extract, { think: 'never asked for' }] }]),
  ).rejects.toThrow('Step 1, answers: No call has asked for this answer of think.');
});

test('an answer that the machine refuses is told', async () => {
  const steps = [{ person: 'Ada', answers: [{ extract: 'no object' }], state: 'customer-intake' }];
  await expect(play(compile(intake), steps)).rejects.toThrow('The call of extract has failed');
});

test('time passes from timer to timer: reminders come before the end', async () => {
  await play(compile(intake), [
    { person: 'Ada', instance: 'WAITING_FOR_REPLY' },
    { later: '29 minutes', instance: 'WAITING_FOR_REPLY', calls: [] },
    { later: '1 minute', calls: [{ port: 'reply' }], instance: 'WAITING_FOR_REPLY' },
    { later: 'to the end', instance: 'ABANDONED', outcome: 'ABANDONED' },
    { person: 'Hello?', state: 'customer-intake' },
  ]).then(
    () => expect.unreachable(),
    (error: unknown) => expect(String(error)).toContain('the conversation has ended'),
  );
});

test('operators pause, write and resume', async () => {
  const played = play(compile(intake), [
    { person: 'Ada' },
    { operator: 'pause', instance: 'PAUSED' },
    { operator: { intervene: 'Ana here, one moment.' }, said: 'Ana here' },
    { operator: 'resume', instance: 'WAITING_FOR_REPLY' },
    { operator: { cancel: 'test' }, outcome: 'FAILED' },
  ]);
  await expect(played).resolves.toBeUndefined();
});

test('a workflow runs with answers of agents, failures by name, retries and decisions', async () => {
  const approved = play(
    order,
    [
      { answers: [{ fails: { port: 'runAgent', error: 'Busy' } }], state: 'Price' },
      { later: '2 s', state: 'Ask', decisions: [{ prompt: 'Send goods for 120 euros?' }] },
      {
        decide: { decision: 'approve', by: 'ana' },
        outcome: 'succeeded',
        output: ['book'],
        calls: [{ agent: 'Pack', input: 'book' }],
      },
    ],
    { input, agents: { Price: 120 } },
  );
  await expect(approved).resolves.toBeUndefined();
  const broken = play(order, [{ outcome: 'failed', error: 'Broken' }], {
    input,
    agents: { Price: { fails: { error: 'Broken' } } },
  });
  await expect(broken).resolves.toBeUndefined();
});

test('an expectation about the end says what the run waits for', async () => {
  await expect(
    play(order, [{ outcome: 'succeeded' }], { input, agents: { Price: 120 } }),
  ).rejects.toThrow(
    'it waits for a decision: "Send goods for 120 euros?". Decide before this step',
  );
});

test('a decision that nobody asks for is a failure of its step', async () => {
  await expect(
    play(order, [{ decide: 'approve', state: 'Send' }], { input, agents: { Price: 1 } }),
  ).rejects.toThrow('Step 1: Nobody is asked for a decision now.');
});

test('a definition with errors is refused', async () => {
  await expect(play(compile('{"states": 1}'), [{ state: 'a' }])).rejects.toThrow(TypeError);
});

test('a conversation that a workflow holds is played with it, and what is said to its child is said to the test', async () => {
  const talk = { Type: 'Task', Agent: 'plan:intake', ResultPath: '$.said', Next: 'Over' };
  const workflow = compile(
    JSON.stringify({ StartAt: 'Talk', States: { Talk: talk, Over: { Type: 'Succeed' } } }),
    { format: 'asl', options: { dialect: 'agent' } },
  );
  const others = { intake: compile(intake) };
  const start = { asks: ['customer_name'], said: 'what is your name?', state: 'Talk' };
  await play(workflow, [start, { person: 'Ada', asks: ['account_number'], said: 'account' }], {
    others,
  });
  const cancelled = { operator: 'cancel', child: 'intake', error: 'States.TaskFailed' } as const;
  await play(workflow, [start, cancelled], { others });
  await expect(
    play(workflow, [start, { ...cancelled, child: 'intakes' }], { others }),
  ).rejects.toThrow('No agent "intakes" runs now. Did you mean "intake"?');
});

/** Says when it begins and when it ends, an hour later. */
const hourly = JSON.stringify({
  StartAt: 'Begin',
  States: {
    Begin: { Type: 'Pass', Parameters: { 'begun.$': '$$.State.EnteredTime' }, Next: 'Rest' },
    Rest: { Type: 'Wait', Seconds: 3600, Next: 'End' },
    End: {
      Type: 'Pass',
      Parameters: { 'begun.$': '$.begun', 'ended.$': '$$.State.EnteredTime' },
      End: true,
    },
  },
});

test('tests at the same time and one after another have a time of their own, and no timers of others', async () => {
  const definition = compile(hourly, { fileName: 'hourly.asl.json' });
  const days = [1, 5, 3, 2];
  const at = (day: number, hour: string) => `2026-02-0${day}T${hour}:00:00.000Z`;
  const whole = (day: number) =>
    play(
      definition,
      [
        { state: 'Rest' },
        { later: '59 minutes', state: 'Rest' },
        { later: '1 minute', output: { begun: at(day, '09'), ended: at(day, '10') } },
      ],
      { startAt: Date.parse(at(day, '09')) },
    );
  // These leave a timer behind.
  const begun = (day: number) =>
    play(definition, [{ state: 'Rest' }], { startAt: Date.parse(at(day, '08')) });
  for (const day of days) {
    await begun(day);
    await whole(day);
  }
  const together = Promise.all(days.flatMap((day) => [whole(day), begun(day), whole(day)]));
  await expect(together).resolves.toHaveLength(12);
});
