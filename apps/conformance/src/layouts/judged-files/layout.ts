import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { asl, type WorkflowEmitted } from '@dramaturg/asl';
import {
  check,
  type Checked,
  link,
  listen,
  placesIn,
  type Port,
  providePorts,
} from '@dramaturg/compiler';
import { virtualClock } from '@dramaturg/host';
import { type AnyStateMachine, createActor } from 'xstate';
import type { Case, Difference, Layout } from '../../layout.ts';
import { type JudgedFile, readManifest } from './manifest.ts';

/**
 * Files with workflows, and the expected results of `check` in a `manifest.tsv` with the columns `file`, `expected` and `why`.
 * Each accepted definition is also run with stubs. The area of a file is its folder.
 */
export const judgedFilesLayout: Layout = {
  name: 'judged-files',
  recognises: (folder) => readManifest(folder) !== undefined,
  cases: (folder) =>
    (readManifest(folder) ?? []).map((judged): Case => ({
      area: judged.file.split('/').slice(0, -1).join('/') || 'files',
      id: judged.file,
      groups: { expected: judged.expected },
      run: () => judge(folder, judged),
    })),
};

/** Compares the verdict of the compiler with the expected one, and runs every definition that the compiler accepts. */
async function judge(folder: string, { file, expected, why }: JudgedFile): Promise<Difference> {
  const refusals: string[] = [];
  const crashes: string[] = [];
  for (const { chart, diagnostics } of definitionsIn(join(folder, file))) {
    const errors = diagnostics.filter(({ severity }) => severity === 'error');
    refusals.push(
      ...errors.map(
        ({ code, message, range }) =>
          `${range.start.line}:${range.start.column} ${code}: ${message}`,
      ),
    );
    const crash = chart && (await dryRun(link(chart, asl.behaviour)));
    if (crash !== undefined) crashes.push(crash);
  }
  const verdict = verdictOn(expected, refusals.length > 0, crashes.length > 0);
  const actual = [verdict, ...crashes, ...refusals].join(' | ');
  const isRemark = !['crashed', 'wrongly accepted', 'wrongly refused'].includes(verdict);
  return {
    expected: [expected, why].filter(Boolean).join(': '),
    actual,
    verdict,
    ...(isRemark && { isRemark }),
  };
}

/** Checks the definition of a file, or each of those in a template. Placeholders have no values. */
function definitionsIn(path: string): readonly Checked[] {
  const text = readFileSync(path, 'utf8');
  const options = { formats: [asl], fileName: basename(path) };
  const found = placesIn(text, options);
  if (!found) return [check(text, options)];
  return found.places.flatMap(({ source, format, options: own, values }) =>
    source ? [check(source, { ...options, format, options: own, values })] : [],
  );
}

function verdictOn(
  expected: JudgedFile['expected'],
  isRefused: boolean,
  hasCrashed: boolean,
): string {
  if (hasCrashed) return 'crashed';
  const found = isRefused ? 'refused' : 'accepted';
  if (expected === 'disputed') return `disputed, ${found}`;
  if (expected === (isRefused ? 'refuse' : 'accept')) return isRefused ? 'rightly refused' : found;
  return `wrongly ${found}`;
}

/** Maximum number of calls and of waits, more than a run with an end needs. Workflows that poll have no end when nothing changes. */
const mostCalls = 500;

/**
 * Runs a workflow with an empty input on a virtual clock. Each task returns its input, and tasks that wait for a token are
 * completed. The run ends with the workflow, when nothing more happens, or after `mostCalls` calls.
 *
 * @returns the error of a broken actor; undefined if there is none, also after a regular failure of the workflow
 */
async function dryRun(machine: AnyStateMachine): Promise<string | undefined> {
  const clock = virtualClock({ startAt: Date.UTC(2026, 0, 1) });
  const runAgent = bounded<'runAgent'>(({ input }) => ({ result: input }));
  const timer = bounded<'timer'>(clock.timer);
  const actor = createActor(providePorts(machine, { runAgent, timer }), {
    input: { input: {} },
    ...listen((emitted) => {
      const event = emitted as unknown as WorkflowEmitted;
      if (event.type !== 'task.scheduled') return;
      const { token, input } = event;
      // Sent later, because it answers an event of the current step, which must finish first.
      void clock
        .advanceTo(clock.now())
        .then(() => actor.send({ type: 'task.succeeded', token, output: input }));
    }),
  });
  // Without an observer XState would throw the error outside of any promise. The snapshot also has it.
  actor.subscribe({ error: () => {} });
  actor.start();
  await clock.settled();
  const snapshot = actor.getSnapshot();
  actor.stop();
  return snapshot.status === 'error' ? `the run broke: ${String(snapshot.error)}` : undefined;
}

/** A port that no longer answers after `mostCalls` calls. */
function bounded<Name extends 'runAgent' | 'timer'>(port: Port<Name>): Port<Name> {
  let calls = 0;
  return (input, call) => {
    calls += 1;
    return calls > mostCalls ? new Promise(() => {}) : port(input, call);
  };
}
