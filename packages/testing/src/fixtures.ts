import type { Chart, JsonObject } from '@dramaturg/compiler';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

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
  compile: (text: string, options: object) => { readonly chart?: Chart | undefined },
): Readonly<Record<string, Chart>> {
  const charts = fixturesIn(new URL(`../../formats/${format}/test/fixtures/`, import.meta.url))
    .filter(({ fails }) => !fails)
    .map(({ name, definition: { fileName, text }, setup }) => {
      const { options = {} } = setup;
      return [`${format}/${name}`, compile(text, { fileName, options }).chart!] as const;
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
