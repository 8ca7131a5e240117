import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, compile, providePorts } from '@dramaturg/compiler';
import { understudyPorts } from '@dramaturg/understudy';
import { type Npc, npc, type NpcContext, type NpcEmitted, type NpcOutput } from '@dramaturg/npc';
import { plan } from '@dramaturg/plan';
import { createActor, waitFor } from 'xstate';
import { describe, expect, test } from 'vitest';

/**
 * Definitions for NPCs from a folder next to the project. The understudy plays each scenario, list of states or state to an
 * outcome with a player who does what each state asks for. Other files (fragments of the documentation, scenarios of
 * another project) are refused by name.
 */
const corpora = join(import.meta.dirname, '../../../../shared/corpus');

function filesOf(corpus: string): string[] {
  const folder = join(corpora, corpus);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => join(corpus, name));
}

const readCorpus = (file: string) => readFileSync(join(corpora, file), 'utf8');

const files = filesOf('npc');

/** Files that are not complete scenarios: a persona without scenarios, notes about the format, another format. */
const refused: Readonly<Record<string, readonly string[]>> = {
  'npc/foil-captain-elara.persona.json': ['npc/no-scenarios'],
  'npc/foil-docs-example-outlines.json': ['format/unknown'],
  'npc/foil-runtime-fields.json': ['format/unknown'],
  'npc/foil-scenario-defaults.json': ['format/unknown'],
  'npc/seminar-date.scenario.json': ['format/unknown'],
  'npc/seminar-grocery.scenario.json': ['format/unknown'],
  'npc/seminar-interview.scenario.json': ['format/unknown'],
  'npc/seminar-interview.signals.scenario.json': ['format/unknown'],
};

interface Result {
  readonly file: string;
  readonly outcome: string;
  readonly turns: number;
  readonly findings: string;
}

describe.skipIf(files.length === 0)('the corpus for NPCs', () => {
  const results: Result[] = [];

  test.each(files.filter((file) => !(file in refused)))('%s reaches ACCEPT', async (file) => {
    const result = await play(file);
    results.push(result);
    expect(result.outcome).toMatch(/^ACCEPT in /);
  });

  test.each(files.filter((file) => file in refused))('%s is refused by name', (file) => {
    const { diagnostics, chart } = check(readCorpus(file), { formats: [npc, plan] });
    const codes = diagnostics.map(({ code }) => code);
    expect(chart).toBeUndefined();
    expect(codes).toEqual(refused[file]);
    results.push({ file, outcome: 'refused', turns: 0, findings: codes.join(' ') });
  });

  test('the table of results', () => {
    expect(results).toHaveLength(files.length);
    console.table(results);
  });
});

test(`there is ${files.length === 0 ? 'no corpus for NPCs next to the project: its tests are skipped' : 'a corpus for NPCs next to the project'}`, () => {
  expect(existsSync(join(corpora, 'npc'))).toBe(files.length > 0);
});

const everything = ['npc', 'plan', 'context-graph'].flatMap(filesOf);

describe.skipIf(everything.length === 0)('of scenarios for NPCs and conversation plans', () => {
  test.each(everything)('%s is recognised as at most one format', (file) => {
    const { value } = check(readCorpus(file), { formats: [npc, plan] }).source;
    const recognising = [npc, plan].filter((format) => format.recognise(value).matches);
    expect(recognising.length).toBeLessThanOrEqual(1);
    // The folder says which of the two formats the file may have.
    const strangers = recognising.filter(({ name }) => !file.startsWith(`${name}/`));
    expect(strangers).toEqual([]);
  });
});

async function play(file: string): Promise<Result> {
  const { machine, definition, diagnostics } = compile(readCorpus(file), { formats: [npc, plan] });
  const findings = [...new Set(diagnostics.map(({ code }) => code))].join(' ');
  const actor = createActor(providePorts(machine!, understudyPorts()), {
    input: { player: { name: 'Ada' } },
  });
  const verdicts: string[] = [];
  actor.on('*', (event) => {
    const emitted = event as NpcEmitted;
    if (emitted.type === 'verdict.reached') verdicts.push(emitted.decision ?? 'follow_up');
  });
  actor.start();
  let turns = 0;
  for (; turns < 30; turns += 1) {
    const snapshot = await waitFor(
      actor,
      ({ status, tags }) => status !== 'active' || tags.has('waiting'),
    );
    if (snapshot.status !== 'active') break;
    const text = wantedIn(definition as Npc, snapshot.context as NpcContext);
    actor.send({ type: 'message.received', text });
  }
  const { output, status, context } = actor.getSnapshot();
  actor.stop();
  expect(verdicts).toHaveLength(turns);
  const { outcome, machine: scenario, state } = (output ?? {}) as Partial<NpcOutput>;
  return {
    file,
    outcome:
      status === 'done'
        ? `${outcome} in ${scenario}/${state}`
        : `stays in ${context.machine}/${context.state}`,
    turns,
    findings,
  };
}

/** The goal of a state in its author's words: the condition of the first transition, or else the condition to pass. */
function wantedIn({ scenarios }: Npc, { machine, state, probes, redirects }: NpcContext): string {
  // When the understudy does not understand, the player names the verdict.
  if (probes + redirects > 0) return 'pass';
  const scenario = scenarios.find(({ machine_key }) => machine_key === machine);
  const way = scenario?.transitions.find(
    ({ from_state_key, decision_type }) => from_state_key === state && decision_type === 'pass',
  );
  const criteria = scenario?.states.find(({ state_key }) => state_key === state);
  return way?.condition || criteria?.evaluation_criteria.pass || 'pass';
}
