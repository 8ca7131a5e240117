import { readFileSync } from 'node:fs';
import { until } from '@dramaturg/testing';
import {
  compile,
  type Compiled,
  createHost,
  type Host,
  memoryStore,
  understudyPorts,
} from 'dramaturg';
import { expect, onTestFinished, test } from 'vitest';

/** Definitions of the documentation, run by the facade as a newcomer would. */

const example = (file: string): Compiled =>
  compile(readFileSync(new URL(`../../../../docs/examples/${file}`, import.meta.url), 'utf8'), {
    fileName: file,
  });

async function hosted(
  definitions: Readonly<Record<string, Compiled>>,
  runAgent: (call: { readonly agent: string }) => { readonly result: string } = () => ({
    result: 'done',
  }),
): Promise<{ readonly host: () => Host; readonly reopen: () => Promise<void> }> {
  const store = memoryStore();
  const open = () =>
    createHost({
      store,
      definitions,
      ports: { ...understudyPorts(), runAgent },
      channels: { main: { deliver: () => {} } },
    });
  let host = await open();
  onTestFinished(() => host.stop({ within: 0 }));
  return {
    host: () => host,
    reopen: async () => {
      await host.stop({ within: 0 });
      host = await open();
    },
  };
}

test('the understudy completes a plan on a host that is stopped after every message', async () => {
  const { host, reopen } = await hosted({ intake: example('customer-intake.plan.json') });
  await host().start('intake', { id: 'i', contact: 'ada' });
  const rests = () => until(async () => (await host().get('i')).state !== 'ACTIVE', 'the turn');
  await rests();
  const script = readFileSync(
    new URL('../../../../docs/examples/customer-intake.transcript', import.meta.url),
    'utf8',
  );
  for (const [, text = ''] of script.matchAll(/^> (.+)$/gm)) {
    await host().receive({ contact: 'ada', text });
    await reopen();
    await rests();
  }
  expect(await host().get('i')).toMatchObject({ state: 'COMPLETED', ended: true });
  const lines = await host().transcript('i', { from: 0, limit: 100 });
  const journal = await host().journal('i', { from: 0, limit: 1_000 });
  expect(lines.filter(({ role }) => role === 'contact')[0]).toMatchObject({
    text: 'Hello, I am Maria',
  });
  expect(JSON.stringify(journal)).toContain('"deliverable.collected"');
});

test('a table of states is a lifecycle: it accepts its own events and refuses others', async () => {
  const { host, reopen } = await hosted({ parcel: example('parcel.lifecycle.json') });
  expect(await host().start('parcel', { id: 'p' })).toEqual({ id: 'p', state: 'ORDERED' });
  expect(await host().send('p', { type: 'collect' })).toMatchObject({
    accepted: false,
    state: 'ORDERED',
    accepts: ['pack', 'cancel'],
  });
  for (const [event, state] of [
    ['pack', 'PACKED'],
    ['collect', 'ON_THE_WAY'],
    ['ring', 'AT_THE_DOOR'],
    ['nobody in', 'ON_THE_WAY'],
    ['ring', 'AT_THE_DOOR'],
    ['hand over', 'DELIVERED'],
  ] as const) {
    expect(await host().send('p', { type: event })).toEqual({ accepted: true, state });
    await reopen();
  }
  expect(await host().send('p', { type: 'pack' })).toMatchObject({ accepted: false });
  expect(await host().get('p')).toMatchObject({ ended: true, state: 'DELIVERED' });
});

test('a workflow runs with agents, waits, and asks a person', async () => {
  const made: string[] = [];
  const workflow = compile(
    JSON.stringify({
      StartAt: 'Pack',
      States: {
        Pack: {
          Type: 'Map',
          ItemsPath: '$.parts',
          Iterator: {
            StartAt: 'Part',
            States: { Part: { Type: 'Task', Resource: 'pack', End: true } },
          },
          ResultPath: '$.packed',
          Next: 'Pause',
        },
        Pause: { Type: 'Wait', Seconds: 1, Next: 'Ask' },
        Ask: {
          Type: 'Approval',
          Prompt: 'Send it?',
          Options: ['yes', 'no'],
          Choices: [{ Variable: '$.approval.approval', StringEquals: 'yes', Next: 'Send' }],
          Default: 'Kept',
          ResultPath: '$.approval',
        },
        Send: { Type: 'Task', Resource: 'send', End: true },
        Kept: { Type: 'Succeed' },
      },
    }),
    { fileName: 'parcel.asl.json' },
  );
  expect(workflow.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  const { host, reopen } = await hosted({ parcel: workflow }, ({ agent }) => {
    made.push(agent);
    return { result: agent };
  });
  await host().start('parcel', { id: 'w', input: { input: { parts: [1, 2, 3] } } });
  await until(() => made.length === 3, 'the parts');
  await until(async () => (await host().get('w')).dueAt !== undefined, 'the wait');
  await reopen();
  await until(async () => (await host().get('w')).decisions.length === 1, 'the question');
  await reopen();
  const [question] = (await host().get('w')).decisions;
  expect(question).toMatchObject({ prompt: 'Send it?', options: ['yes', 'no'] });
  await host().send('w', { type: 'decision.made', decision: 'yes' });
  await until(async () => (await host().get('w')).ended, 'the end');
  expect(made).toEqual(['pack', 'pack', 'pack', 'send']);
  expect((await host().get('w')).state).toBe('COMPLETED');
});

test('a definition with errors is refused with all errors and their hints', async () => {
  const broken = example('with-mistakes.plan.json');
  await expect(hosted({ broken })).rejects.toThrow(
    /^"broken" has errors:\n\d+:\d+ [^]*Did you mean "/,
  );
});
