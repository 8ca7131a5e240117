import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { dramaturg, folderWith } from './command.ts';

/** `dramaturg run` of a plan whose tasks agents do. */

const fixture = new URL('../../formats/plan/test/fixtures/agents/', import.meta.url);
const text = await readFile(new URL('agents.plan.json', fixture), 'utf8');
const workflow = (state: object) => JSON.stringify({ StartAt: 'Book', States: { Book: state } });

test.each<[string, Record<string, string>, string[], string]>([
  [
    'a workflow of the folder',
    {
      'booking.asl.json': workflow({
        Type: 'Pass',
        Parameters: { booking: { id: 'B-1' } },
        End: true,
      }),
    },
    [],
    'order = "B-1"',
  ],
  [
    'a workflow that fails',
    { 'booking.asl.json': workflow({ Type: 'Fail', Error: 'Full', Cause: 'No table.' }) },
    [],
    'task book has failed: Full: No table.',
  ],
  [
    'a workflow that waits for a person',
    {
      'booking.asl.json': workflow({
        Type: 'Approval',
        Prompt: 'Book?',
        Policy: { Approvers: ['ana'] },
        End: true,
      }),
    },
    [],
    '"workflow:booking" waits for a decision, which needs a host',
  ],
  [
    'a function of a module',
    {
      'agents.mjs':
        'export default { "workflow:booking": ({ seats }) => ({ booking: { id: `X-${seats}` } }) };',
    },
    ['--agents', 'agents.mjs'],
    'order = "X-4"',
  ],
  ['nobody', {}, [], 'There is no definition "booking"'],
])('a task is done by %s', async (_, files, options, printed) => {
  const folder = await folderWith({ 'table.plan.json': text, ...files });
  const args = ['run', 'table.plan.json', '--speed', '0', ...options];
  const { stdout } = await dramaturg(args, { cwd: folder, input: 'four\n' });
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(printed);
});
