import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runsAll } from '../../../../.config/scaled.ts';
import { dramaturg, folderWith } from '../command.ts';
import { serve } from '../host-cli/processes.ts';

const name = {
  id: 'name',
  instruction: 'Ask the person for the full name',
  deliverables: [{ key: 'name', type: 'string', description: 'What is your name?' }],
};
const city = {
  id: 'city',
  instruction: 'Ask for the city',
  deliverables: [{ key: 'city', type: 'string', description: 'Where do you live?' }],
};

function plan(tasks: object[], last: string): string {
  return JSON.stringify({
    id: 'intake',
    title: 'Intake',
    states: [
      {
        id: 'facts',
        title: 'Facts',
        type: 'loose',
        tasks,
        transitions: [{ target_state_id: last, condition_type: 'all_tasks_complete' }],
      },
      { id: last, title: 'The end', tasks: [{ id: 'bye', instruction: 'Thank and say goodbye' }] },
    ],
  });
}

const files = {
  'intake.plan.json': plan([name], 'done'),
  'intake-2.plan.json': plan([name, city], 'farewell'),
  'gone.plan.json': plan([city], 'farewell')
    .replaceAll('facts', 'questions')
    .replaceAll('Facts', 'Q'),
};

/** A folder with a store that has two instances, each of which waits for the name of its contact. */
async function started(kind: string): Promise<{
  readonly cwd: string;
  readonly run: (...args: string[]) => ReturnType<typeof dramaturg>;
}> {
  const cwd = await folderWith(files);
  const run = (...args: string[]) => dramaturg(args, { cwd });
  for (const id of ['a', 'b']) {
    const begun = await run(
      'start',
      'store',
      'intake.plan.json',
      '--id',
      id,
      '--contact',
      id,
      '--store',
      kind,
    );
    expect(begun.code).toBe(0);
  }
  return { cwd, run };
}

test.each(['sqlite', 'lowdb'])(
  '%s: instances are moved to a new version and back',
  async (kind) => {
    const { cwd, run } = await started(kind);
    const compared = await run(
      'diff',
      'intake.plan.json',
      'intake-2.plan.json',
      '--store',
      'store',
    );
    expect(compared.code).toBe(1);
    expect(compared.stdout).toContain(
      '2 running instances: 0 compatible, 2 migratable, 0 blocked.',
    );
    const skeleton = await run(
      'diff',
      'intake.plan.json',
      'intake-2.plan.json',
      '--to',
      'migration',
    );
    expect(skeleton.stdout).toMatchInlineSnapshot(`
      "# A migration of the instances of "intake" from intake.plan.json to intake-2.plan.json.
      # Check it, then see what it would do:  dramaturg migrate <store> <this file>
      definition: "intake"
      # The new version; its path is relative to this file.
      new: "intake-2.plan.json"
      # New names of states and tasks, by their old ones. An instance in a state that is gone needs one.
      states:
        "done": "farewell"
      # New names of data, by their old ones; null drops the data.
      data: {}
      # Open calls of states that ask otherwise now: they go on as they were made ("keep"), or the instance is not migrated ("block").
      calls: keep
      "
    `);
    await writeFile(join(cwd, 'intake.migration.yaml'), skeleton.stdout);
    const dry = await run('migrate', 'store', 'intake.migration.yaml');
    expect([dry.code, dry.stdout.replaceAll(/[0-9a-f]{16}/g, '0123456789abcdef')])
      .toMatchInlineSnapshot(`
      [
        0,
        "2 running instances: 0 compatible, 2 migratable, 0 blocked.

      migratable 2, version 0123456789abcdef: a, b
          The state "facts" has changed.
          "city" is new, and is open.

      Nothing has changed. Add --apply to migrate those that are not blocked.
      ",
      ]
    `);
    const applied = await run('migrate', 'store', 'intake.migration.yaml', '--apply');
    expect(applied).toEqual({ code: 0, stdout: '✓ 2 migrated, 0 not.\n', stderr: '' });
    const again = await run('migrate', 'store', 'intake.migration.yaml');
    expect(again.stdout).toContain('No running instance has another version.');
    const { stdout: shown } = await run('show', 'store', 'a', '--json');
    const sent = await run('send', 'store', 'b', 'My name is Bea.');
    expect(sent.code).toBe(0);
    const undone = await run('migrate', 'store', 'intake.migration.yaml', '--undo', '--json');
    expect([undone.code, JSON.parse(undone.stdout)]).toMatchObject([
      6,
      { undone: 1, refused: 1, refusals: [{ id: 'b', code: 'migration/not-last' }] },
    ]);
    const { stdout: before } = await run('show', 'store', 'a', '--json');
    expect(JSON.parse(before)).not.toMatchObject({ definition: JSON.parse(shown).definition });
  },
);

test('a running host migrates its instances', async ({ skip }) => {
  skip(!runsAll);
  const { cwd, run } = await started('sqlite');
  await writeFile(
    join(cwd, 'it.migration.yaml'),
    'definition: intake\nnew: intake-2.plan.json\nstates: { done: farewell }\n',
  );
  await serve(join(cwd, 'store'));
  const dry = await run('migrate', 'store', 'it.migration.yaml', '--json');
  expect(JSON.parse(dry.stdout)).toMatchObject({ migratable: 2, blocked: 0 });
  const applied = await run('migrate', 'store', 'it.migration.yaml', '--apply', '--json');
  expect(JSON.parse(applied.stdout)).toMatchObject({ migrated: 2, refused: 0 });
  const undone = await run('migrate', 'store', 'it.migration.yaml', '--undo', '--json');
  expect(JSON.parse(undone.stdout)).toMatchObject({ undone: 2, refused: 0 });
});

test('instances that the new version cannot go on with are blocked, and nothing happens to them', async () => {
  const written = {
    code: 6,
    stdout: expect.stringContaining('There is no state "facts" any more.') as string,
  };
  const { cwd } = await started('sqlite');
  await writeFile(join(cwd, 'm.yaml'), 'definition: intake\nnew: gone.plan.json\n');
  const here = (...args: string[]) => dramaturg(args, { cwd });
  expect(await here('migrate', 'store', 'm.yaml')).toMatchObject(written);
  expect(await here('migrate', 'store', 'm.yaml', '--apply')).toMatchObject(written);
});

test('mistakes of a migration file are reported with their places', async () => {
  const cwd = await folderWith({
    ...files,
    'm.yaml':
      'definition: intake\nnew: intake-2.plan.json\nstatess: {}\ncalls: perhaps\nstates: { a: 3 }\n',
  });
  const { code, stderr } = await dramaturg(['migrate', 'store', 'm.yaml'], { cwd });
  expect(code).toBe(2);
  expect(stderr).toContain('m.yaml:3:1');
  expect(stderr).toContain('A migration has no field "statess".');
  expect(stderr).toContain('m.yaml:4:8');
  expect(stderr).toContain('m.yaml:5:14');
  expect(await readFile(join(cwd, 'm.yaml'), 'utf8')).toContain('statess');
});
