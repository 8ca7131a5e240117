import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compile, type Compiled, type Ports, understudyPorts } from 'dramaturg';
import { rehearse } from 'dramaturg/recording';
import { virtualClock } from 'dramaturg/testing';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'dramaturg-rehearse-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
const newFile = () => join(folder, `${(files += 1)}.recording`);

const example = (file: string, change = (text: string) => text): Compiled =>
  compile(
    change(readFileSync(new URL(`../../../docs/examples/${file}`, import.meta.url), 'utf8')),
    { fileName: file },
  );
const intake = 'customer-intake.plan.json';
const lines = ['Hello, I am Maria', '4711-B', 'billing'];
const nobody = (): Partial<Ports> => {
  throw new Error('Nobody is asked in a replay.');
};

test('a conversation is recorded once, and is the same without its ports from then on', async () => {
  const recording = newFile();
  const definition = example(intake);
  const recorded = await rehearse(definition, {
    recording,
    lines,
    ports: () => understudyPorts(),
    update: true,
  });
  expect(recorded.output).toBe(undefined);
  expect(recorded.events).toContainEqual(
    expect.objectContaining({
      type: 'deliverable.collected',
      deliverable: 'issue_type',
      value: 'billing',
    }),
  );
  expect(await rehearse(definition, { recording, lines, ports: nobody })).toEqual(recorded);
  expect(await rehearse(definition, { recording, ports: nobody })).toEqual(recorded);
});

test('a prompt that has changed is named, and so is another line of the person', async () => {
  const recording = newFile();
  const ports = () => understudyPorts();
  await rehearse(example(intake), { recording, lines, ports, update: true });
  const changed = example(intake, (text) =>
    text.replace('What is your account', 'And the account'),
  );
  await expect(rehearse(changed, { recording, lines, ports })).rejects.toMatchObject({
    code: 'recording/differs',
    message: expect.stringContaining('the call of "reply" with the key "conversation/0/reply"'),
    hint: expect.stringContaining('The definition has changed.'),
  });
  const others = ['Hello, I am Maria', '4712'];
  await expect(
    rehearse(example(intake), { recording, lines: others, ports }),
  ).rejects.toMatchObject({
    code: 'recording/differs',
    message: `The test and its recording "${recording}" differ at lines[1]: it was recorded with "4711-B", and is now "4712".`,
  });
});

test('a workflow is recorded on a clock on which waiting takes no time', async () => {
  const recording = newFile();
  const workflow = compile(
    JSON.stringify({
      StartAt: 'Rest',
      States: {
        Rest: { Type: 'Wait', Seconds: 86_400, Next: 'Work' },
        Work: { Type: 'Task', Agent: 'Worker', End: true },
      },
    }),
    { fileName: 'rest.asl.json' },
  );
  const recorded = await rehearse(workflow, {
    recording,
    input: { input: { for: 'Ada' } },
    clock: virtualClock({ startAt: 0 }),
    ports: () => ({ runAgent: ({ input }) => ({ result: { luck: Math.random(), input } }) }),
    update: true,
  });
  expect(recorded.output).toMatchObject({ status: 'succeeded', output: { input: { for: 'Ada' } } });
  expect(await rehearse(workflow, { recording, ports: nobody })).toEqual(recorded);
});

test('what a test needs and is not there is said, with what to do', async () => {
  const recording = newFile();
  await expect(rehearse(example(intake), { recording, ports: nobody })).rejects.toMatchObject({
    message: `There is no recording "${recording}".`,
    hint: 'Record it: run the test with UPDATE_RECORDINGS=1.',
  });
  await expect(rehearse(compile('{"id": 1}'), { recording, ports: nobody })).rejects.toBeInstanceOf(
    TypeError,
  );
});
