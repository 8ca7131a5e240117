import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type AnyFormat,
  type Chart,
  compile,
  type JsonObject,
  printPretty,
} from '@dramaturg/compiler';
import type { ChartInvoke, ChartNode, ChartTransition, Reference } from '@dramaturg/compiler/chart';
import { nameUse } from '@dramaturg/compiler/machine';
import { describe, expect, test } from 'vitest';
import { type PlayOptions, playTranscript, significantLines } from './play.ts';

/**
 * Registers the golden tests of a format: each fixture below a folder compiles to its chart.txt, or is refused with its
 * diagnostics.txt, and each transcript is played twice: without interruption, and with a recovery after every line.
 *
 * @param word describes the format's events in the words of its transcripts
 */
export function golden(format: AnyFormat, root: URL, word: NonNullable<PlayOptions['word']>): void {
  const fixtures = fixturesIn(root);
  const compiled = (fixture: Fixture) =>
    compile(fixture.definition.text, {
      formats: [format],
      fileName: fixture.definition.fileName,
      options: fixture.setup.options,
    });

  describe.each(
    fixtures.filter(({ fails }) => fails).map((fixture) => [fixture.name, fixture] as const),
  )('%s', (_, fixture) => {
    test('is refused with these findings', async () => {
      const { machine, diagnostics } = compiled(fixture);
      expect(machine).toBeUndefined();
      const { fileName, text } = fixture.definition;
      await expect(printPretty(diagnostics, { text, fileName })).toMatchFileSnapshot(
        `${fixture.folder}/diagnostics.txt`,
      );
    });
  });

  describe.each(
    fixtures.filter(({ fails }) => !fails).map((fixture) => [fixture.name, fixture] as const),
  )('%s', (_, fixture) => {
    const { chart, machine, diagnostics } = compiled(fixture);

    test('compiles to this chart', async () => {
      expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
      await expect(chartLines(chart!)).toMatchFileSnapshot(`${fixture.folder}/chart.txt`);
    });

    for (const { name, text: transcript } of fixture.transcripts) {
      for (const recover of [false, true]) {
        test(`${name}, ${recover ? 'recovered after every line' : 'straight'}`, async () => {
          const { input } = fixture.setup;
          const played = await playTranscript(machine!, transcript, { input, word, recover });
          expect(played).toEqual(significantLines(transcript));
        });
      }
    }
  });

  test('every name of the behaviour is used by some chart', () => {
    const charts = fixtures.flatMap((fixture) => compiled(fixture).chart ?? []);
    const [first = [], ...rest] = charts.map((chart) => nameUse(chart, format.behaviour).unused);
    expect(first.filter((name) => rest.every((unused) => unused.includes(name)))).toEqual([]);
  });
}

/**
 * Prints a chart for review: one line for each node, call, transition and action of a node. Everything in the chart is printed,
 * so two charts with the same lines work alike.
 *
 *     intake #state:intake → ask {"origin":["states",0]}
 *       enter / enterState {"state":"intake"}
 *       on update.set [isKnown] → done / collect "the name is known"
 */
function chartLines(chart: Chart): string {
  return `${linesOf(chart).join('\n')}\n`;
}

function linesOf({ chart, format, context, output, ...root }: Chart): string[] {
  return [
    `chart ${chart} ${format}`,
    `context ${named(context)}`,
    `output ${named(output)}`,
    ...nodeLines(root.id, root),
  ];
}

function nodeLines(key: string, node: ChartNode): string[] {
  const { id, type, history, initial, description, tags = [], meta } = node;
  const { entry = [], exit = [], invoke = [], always = [], on = {}, onDone = [] } = node;
  const head = words(
    key,
    type && `(${words(type, history)})`,
    id !== key && id && `#${id}`,
    initial && `→ ${initial}`,
    ...tags.map((tag) => `+${tag}`),
    description && JSON.stringify(description),
    meta && JSON.stringify(meta),
  );
  const inner = [
    ...entry.map((action) => `enter / ${named(action)}`),
    ...exit.map((action) => `leave / ${named(action)}`),
    ...invoke.flatMap(callLines),
    ...always.map((each) => transitionLine('always', each)),
    ...Object.entries(on).flatMap(([event, list]) =>
      list.map((each) => transitionLine(`on ${event}`, each)),
    ),
    ...onDone.map((each) => transitionLine('done', each)),
    ...Object.entries(node.states ?? {}).flatMap(([child, state]) => nodeLines(child, state)),
  ];
  return [head, ...indented(inner)];
}

function callLines({ id, src, input, onDone, onError, chart }: ChartInvoke): string[] {
  const inner = [
    ...onDone.map((each) => transitionLine('done', each)),
    ...onError.map((each) => transitionLine('error', each)),
    ...(chart ? linesOf(chart) : []),
  ];
  return [`call ${id}: ${src} ${named(input)}`, ...indented(inner)];
}

function transitionLine(event: string, transition: ChartTransition): string {
  const { target, guard, actions = [], reenter, description, meta } = transition;
  return words(
    event,
    guard && `[${named(guard)}]`,
    target && `${reenter ? 'reenter ' : ''}→ ${[target].flat().join(', ')}`,
    actions.length > 0 && `/ ${actions.map(named).join(', ')}`,
    description && JSON.stringify(description),
    meta && JSON.stringify(meta),
  );
}

function named({ type, params = {} }: Reference): string {
  return words(type, Object.keys(params).length > 0 && JSON.stringify(params));
}

function words(...parts: readonly (string | false | undefined)[]): string {
  return parts.filter(Boolean).join(' ');
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

/** A folder with one definition and its expected results. The folder's name is the test's name. */
export interface Fixture {
  readonly name: string;
  readonly folder: string;
  readonly definition: { readonly fileName: string; readonly text: string };
  /** Compile options and the actor's input, from `setup.json`. */
  readonly setup: { readonly options?: JsonObject; readonly input?: unknown };
  readonly transcripts: readonly { readonly name: string; readonly text: string }[];
  /** Whether compiling must fail, with the diagnostics of `diagnostics.txt`. */
  readonly fails: boolean;
}

/**
 * Reads every fixture below a folder.
 *
 * @throws Error for a fixture without an expected result
 */
export function fixturesIn(root: URL): Fixture[] {
  const path = fileURLToPath(root);
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => fixtureIn(join(path, name), name));
}

/** Compiles the fixtures of a format, and returns the charts by `format/name`. */
export function chartsOfFixtures(
  format: string,
  compileText: (text: string, options: object) => { readonly chart?: Chart | undefined },
): Readonly<Record<string, Chart>> {
  const charts = fixturesIn(new URL(`../../formats/${format}/test/fixtures/`, import.meta.url))
    .filter(({ fails }) => !fails)
    .map(({ name, definition: { fileName, text }, setup }) => {
      const { options = {} } = setup;
      return [`${format}/${name}`, compileText(text, { fileName, options }).chart!] as const;
    });
  return Object.fromEntries(charts);
}

function fixtureIn(folder: string, name: string): Fixture {
  const files = readdirSync(folder).toSorted();
  const text = (file: string) => readFileSync(join(folder, file), 'utf8');
  const [definition] = files.filter(
    (file) => /\.(json|ya?ml)$/.test(file) && file !== 'setup.json',
  );
  if (definition === undefined) throw new Error(`The fixture "${name}" has no definition.`);
  const transcripts = files
    .filter((file) => file.endsWith('.transcript'))
    .map((file) => ({ name: file.replace(/\.transcript$/, ''), text: text(file) }));
  const fails = files.includes('diagnostics.txt');
  if (transcripts.length === 0 && !fails && !files.includes('chart.txt')) {
    throw new Error(
      `The fixture "${name}" expects nothing: add a transcript, or chart.txt, or diagnostics.txt.`,
    );
  }
  return {
    name,
    folder,
    definition: { fileName: definition, text: text(definition) },
    setup: files.includes('setup.json') ? (JSON.parse(text('setup.json')) as Fixture['setup']) : {},
    transcripts,
    fails,
  };
}
