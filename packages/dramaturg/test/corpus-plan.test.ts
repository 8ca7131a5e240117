import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compile, type PortInput, providePorts } from '@dramaturg/compiler';
import { understudyPorts } from '@dramaturg/understudy';
import { type Plan, plan } from '@dramaturg/plan';
import { createActor, waitFor } from 'xstate';
import { describe, expect, test } from 'vitest';
import { SensiblePerson } from './sensible-person.ts';

/**
 * Real plans from a folder next to the project. Each is checked, and the understudy plays it with a sensible person to its
 * end. A plan that does not end must have a finding that says why.
 */
const corpus = join(import.meta.dirname, '../../../../shared/corpus/plan');
const files = existsSync(corpus)
  ? readdirSync(corpus).filter((name) => name.endsWith('.json'))
  : [];

/** Findings that explain why a conversation may never end. */
const reasons = [
  'plan/no-way-to-the-end',
  'plan/undeclared-deliverable',
  'plan/undeclared-insight',
  'plan/goal-condition-outside-goal-state',
  'plan/collected-too-late',
];

interface Result {
  readonly file: string;
  readonly outcome: string;
  readonly turns: number;
  readonly findings: string;
}

describe.skipIf(files.length === 0)('the corpus of plans', () => {
  const results: Result[] = [];

  test.each(files)('%s ends, or a finding says why it does not', async (file) => {
    const result = await play(file);
    results.push(result);
    expect(result.outcome).toMatch(/^(completed|refused: |stays: )/);
  });

  test('the table of results', () => {
    expect(results).toHaveLength(files.length);
    console.table(results);
    const count = (start: string) =>
      results.filter(({ outcome }) => outcome.startsWith(start)).length;
    console.log(
      `${count('completed')} completed, ${count('stays')} stay for a stated reason, ${count('refused')} refused`,
    );
  });
});

test(`there is ${files.length === 0 ? 'no corpus of plans next to the project: its tests are skipped' : 'a corpus of plans next to the project'}`, () => {
  expect(existsSync(corpus)).toBe(files.length > 0);
});

async function play(file: string): Promise<Result> {
  const text = readFileSync(join(corpus, file), 'utf8');
  const { machine, definition, diagnostics } = compile(text, { formats: [plan], fileName: file });
  const found = diagnostics.filter(({ severity }) => severity !== 'info').map(({ code }) => code);
  const findings = [...new Set(found)].join(' ');
  if (!machine) {
    const errors = diagnostics
      .filter(({ severity }) => severity === 'error')
      .map(({ code }) => code);
    return { file, outcome: `refused: ${[...new Set(errors)].join(' ')}`, turns: 0, findings };
  }
  const person = new SensiblePerson(definition as Plan);
  const understudy = understudyPorts();
  let asked: PortInput<'reply'>['asks'][number] | undefined;
  const actor = createActor(
    providePorts(machine, {
      ...understudy,
      reply: (input, call) => {
        asked = input.asks[0];
        return understudy.reply(input, call);
      },
    }),
    { input: { session: sessionFor(definition as Plan) } },
  );
  actor.start();
  let turns = 0;
  for (; turns < 60; turns += 1) {
    const snapshot = await waitFor(
      actor,
      ({ status, tags }) => status !== 'active' || tags.has('waiting'),
    );
    if (snapshot.status !== 'active') break;
    actor.send({ type: 'message.received', text: person.answer(asked) });
  }
  const { status, output, context } = actor.getSnapshot();
  actor.stop();
  if (status === 'done')
    return { file, outcome: (output as { outcome: string }).outcome, turns, findings };
  const why = reasons.filter((code) => findings.includes(code));
  const outcome =
    why.length > 0
      ? `stays: in "${context.state}" (${why.join(' ')})`
      : `unexplained: in "${context.state}"`;
  return { file, outcome, turns, findings };
}

/** A valid value for every required field. */
function sessionFor({ session_context }: Plan): Record<string, unknown> {
  const samples = { string: 'Ada', number: 1, boolean: true };
  return Object.fromEntries(
    session_context.map(({ id, type, options }) => [
      id,
      type === 'select' ? options[0] : samples[type],
    ]),
  );
}
