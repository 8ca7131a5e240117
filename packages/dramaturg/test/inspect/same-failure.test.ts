import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compile, createHost, type InstanceView, lowdbStore } from 'dramaturg';
import { virtualClock } from 'dramaturg/testing';
import { until } from '@dramaturg/testing';
import { type EndedSpan, type SpanExporter, traceHost } from '@dramaturg/opentelemetry';
import { whyNoChromium } from '@dramaturg/test-servers';
import { describe, expect, test } from 'vitest';
import { runsAll } from '../../../../.config/scaled.ts';
import { dramaturg, folderWith } from '../command.ts';
import { opened } from './browser.ts';
import { inspecting } from './inspecting.ts';

const one = (name: string, state: object) => ({
  StartAt: name,
  States: { [name]: { ...state, End: true } },
});
const fail = { Type: 'Fail', Error: 'Broken', Cause: 'No ink' };
const failing = (name: string) => ({ StartAt: name, States: { [name]: fail } });
const bad = { Type: 'Pass', InputPath: '$.nothing' };
const wait = { Type: 'Wait', Seconds: 1 };
const parallel = (...branches: object[]) => ({ Type: 'Parallel', Branches: branches });
const map = (path: string, processor: object) => ({
  Type: 'Map',
  ItemsPath: path,
  ItemProcessor: processor,
});
const all = { ErrorEquals: ['States.ALL'] };
const distributed = { ProcessorConfig: { Mode: 'DISTRIBUTED', ExecutionType: 'STANDARD' } };
const task = { Type: 'Task', Agent: 'Tired' };

/** Workflows, by the state in which each fails and what is special about it. */
const cases: Readonly<Record<string, object>> = {
  'Bad, before an innocent branch': one('Both', parallel(one('Bad', bad), one('Innocent', wait))),
  'Bad, after an innocent branch': one('Both', parallel(one('Innocent', wait), one('Bad', bad))),
  'Choose, without a choice that matches': one(
    'Both',
    parallel(one('Innocent', wait), {
      StartAt: 'Choose',
      States: {
        Choose: { Type: 'Choice', Choices: [{ Variable: '$.a', IsPresent: true, Next: 'End' }] },
        End: { Type: 'Succeed' },
      },
    }),
  ),
  'Items, by its path': one('Items', map('$.none', one('Inner', wait))),
  'Items, in a branch': one(
    'Both',
    parallel(one('Innocent', wait), one('Items', map('$.none', one('Inner', wait)))),
  ),
  'Items, by its limit of failures': one('Items', {
    ...map('$.items', { ...distributed, ...failing('Inner') }),
    ToleratedFailureCount: 1,
  }),
  'Items, by its result': one('Items', {
    ...map('$.items', one('Inner', wait)),
    ResultPath: '$.items.x',
  }),
  'Inner, of items': one('Items', map('$.items', one('Inner', bad))),
  'Deep, of items of items': one(
    'Outer',
    map('$.items', one('Middle', map('$.parts', one('Deep', bad)))),
  ),
  'Deep, of items of a branch of items': one(
    'Outer',
    map(
      '$.items',
      one('Both', parallel(one('Innocent', wait), one('Middle', map('$.parts', one('Deep', bad))))),
    ),
  ),
  'Both, by its output': one('Both', {
    ...parallel(one('A', wait), one('B', wait)),
    OutputPath: '$.nothing',
  }),
  'Both, by the path of its catcher': {
    StartAt: 'Both',
    States: {
      Both: {
        ...parallel(failing('Inner')),
        Catch: [{ ...all, ResultPath: '$.items.x', Next: 'End' }],
        End: true,
      },
      End: { Type: 'Succeed' },
    },
  },
  'Handler, after a caught error': {
    StartAt: 'Try',
    States: {
      Try: { ...parallel(failing('Inner')), Catch: [{ ...all, Next: 'Handler' }], End: true },
      Handler: fail,
    },
  },
  'Later, beside an error that was caught in a branch': one(
    'Both',
    parallel(
      {
        StartAt: 'Try',
        States: {
          Try: { ...parallel(failing('Caught')), Catch: [{ ...all, Next: 'Rest' }], End: true },
          Rest: { ...wait, Seconds: 5, End: true },
        },
      },
      { StartAt: 'First', States: { First: { ...wait, Next: 'Later' }, Later: fail } },
    ),
  ),
  'Later, after tolerated failures': {
    StartAt: 'Items',
    States: {
      Items: {
        ...map('$.items', { ...distributed, ...failing('Inner') }),
        ToleratedFailurePercentage: 100,
        Next: 'Later',
      },
      Later: fail,
    },
  },
  'Ask, after its last retry': one('Ask', {
    ...task,
    Retry: [{ ...all, IntervalSeconds: 1, MaxAttempts: 2 }],
  }),
  'Inner, after the retry of the state around it': one('Both', {
    ...parallel(failing('Inner'), one('Innocent', wait)),
    Retry: [{ ...all, IntervalSeconds: 1, MaxAttempts: 1 }],
  }),
  'Long, at the end of the time of the workflow': {
    TimeoutSeconds: 2,
    ...one('Long', { Type: 'Wait', SecondsPath: '$.long' }),
  },
  'Call, by the failure of a called workflow': one('Call', {
    Type: 'Workflow',
    WorkflowId: 'child',
  }),
  'Call, of items': one(
    'Items',
    map('$.items', one('Call', { Type: 'Workflow', WorkflowId: 'child' })),
  ),
  'Call, and a state of its own has the name of the failed one': {
    StartAt: 'Step',
    States: {
      Step: { ...wait, Next: 'Call' },
      Call: { Type: 'Workflow', WorkflowId: 'child', End: true },
    },
  },
};

const child = failing('Step');
const input = { items: [{ parts: [1, 2] }, { parts: [3] }], long: 100 };
const named = (name: string) => name.split(',')[0]!;
/** The id of the run of a case. */
const idOf = (name: string) => `case-${Object.keys(cases).indexOf(name)}`;
const expected = Object.fromEntries(Object.keys(cases).map((name) => [name, named(name)]));

/** What each case gives. */
async function ofCases(give: (id: string, definition: object) => Promise<unknown>) {
  const given: Record<string, unknown> = {};
  for (const [name, definition] of Object.entries(cases))
    // oxlint-disable-next-line no-await-in-loop -- A store has one reader at a time.
    given[name] = await give(idOf(name), definition);
  return given;
}

const text = (definition: object) => JSON.stringify(definition, null, 2);

/** All cases, run by a host whose store is still there and whose traces were exported. */
async function performed() {
  const folder = await folderWith({});
  const compiled = (definition: object) => compile(text(definition), { fileName: 'it.asl.json' });
  const definitions = Object.fromEntries(
    Object.entries(cases).map(([name, definition]) => [idOf(name), compiled(definition)]),
  );
  const host = await createHost({
    store: lowdbStore(join(folder, 'store')),
    clock: virtualClock({ startAt: 0 }),
    definitions: { ...definitions, child: compiled(child) },
    ports: {
      runAgent: () => {
        throw Object.assign(new Error('No'), { error: 'Tired' });
      },
    },
  });
  const spans: EndedSpan[] = [];
  const exporter: SpanExporter = {
    export: (ended, done) => {
      spans.push(...ended);
      done({ code: 0 });
    },
    shutdown: async () => {},
  };
  const tracing = await traceHost(host, { exporter, fromBeginning: true });
  for (const id of Object.keys(definitions)) await host.start(id, { id, input: { input } });
  const views = () => Promise.all(Object.keys(definitions).map((id) => host.get(id)));
  await until(async () => (await views()).every(({ ended }) => ended), 'the end of all runs');
  expect(await tracing.flush({ within: 120_000 })).toBe(true);
  await tracing.stop({ within: 5_000 });
  await host.stop({ within: 500 });
  return { folder, spans };
}

test('the state that has failed is the same in "run", "show", "logs" and traces', async ({
  skip,
}) => {
  skip(!runsAll);
  const { folder, spans } = await performed();
  const command = async (...args: string[]) => (await dramaturg(args, { cwd: folder })).stdout;
  await writeFile(join(folder, 'child.asl.json'), text(child));
  await writeFile(
    join(folder, 'agents.mjs'),
    'export const Tired = () => { throw Object.assign(new Error("No"), { error: "Tired" }); };',
  );
  const run = await ofCases(async (_, definition) => {
    await writeFile(join(folder, 'it.asl.json'), text(definition));
    const given = ['--no-wait', '--agents', 'agents.mjs', '--input', JSON.stringify(input)];
    const said = await command('run', 'it.asl.json', ...given);
    return /^(?:failed|timed out) in (\w+)/m.exec(said)?.[1] ?? said;
  });
  expect(run).toEqual(expected);
  const shown = await ofCases(async (id) => {
    const { failure } = JSON.parse(await command('show', 'store', id, '--json')) as InstanceView;
    return failure?.state?.path.at(-1)?.state;
  });
  expect(shown).toEqual(expected);
  const logged = await ofCases(async (id) => {
    const said = [
      ...(await command('logs', 'store', id)).matchAll(/ (\w+)(?: \[[\d.]+\])? failed:\s/g),
    ];
    return said.at(-1)?.[1];
  });
  expect(logged).toEqual(expected);
  const traced = await ofCases(async (id) => {
    const ofRun = spans.filter(({ attributes }) => attributes['dramaturg.instance'] === id);
    const root = ofRun.find(({ attributes }) => attributes['dramaturg.span.type'] === 'instance');
    const state = root?.attributes['dramaturg.state'];
    const isMarked = ofRun.some(
      ({ name, attributes }) =>
        name === `transition ${String(state)}` && attributes['error.type'] !== undefined,
    );
    return isMarked ? state : undefined;
  });
  expect(traced).toEqual(expected);
});

test('"logs" has the caught errors of a run', async () => {
  const folder = await folderWith({
    'it.asl.json': text({
      StartAt: 'Try',
      States: {
        Try: {
          ...map('$.items', failing('Inner')),
          Catch: [{ ...all, Next: 'Rest' }],
          End: true,
        },
        Rest: { Type: 'Succeed' },
      },
    }),
  });
  const command = async (...args: string[]) => (await dramaturg(args, { cwd: folder })).stdout;
  await command('start', 'store', 'it.asl.json', '--id', 'r', '--input', '{"items":[1]}');
  const logs = (await command('logs', 'store', 'r')).replace(/^.*?system +/gm, '');
  expect(logs).toBe(
    'RUNNING\nInner [0] failed: Broken: No ink\nTry catches Broken: No ink, and Rest follows\nRUNNING → COMPLETED: succeeded\n',
  );
});

describe.skipIf(whyNoChromium() !== undefined)('in a browser', () => {
  test('the inspector names the same state, and marks it in the chart', async () => {
    const { folder } = await performed();
    const url = await inspecting(join(folder, 'store'));
    const page = await opened(url);
    const inspected = await ofCases(async (id) => {
      await page.goto(`${url}#${id}`);
      await page.locator('.runs [aria-current]', { hasText: id }).waitFor();
      const banner = page.locator('.failure strong');
      await banner.waitFor();
      const marked = page.locator('.dg-state[data-light=failed] .dg-state-name');
      await marked.first().waitFor();
      const [name, ...others] = await marked.allInnerTexts();
      expect([await banner.innerText(), others]).toEqual([`Failed in ${name}`, []]);
      return name;
    });
    expect(inspected).toEqual(expected);
  });
});
