import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type JsonObject, read } from '@dramaturg/compiler';
import { fixturesIn } from '@dramaturg/host/testing';
import { Random } from './random.ts';
import { mutateStructure, type Tree } from './structure.ts';
import { mutateText, yamlOf } from './text.ts';

/** A definition as somebody wrote it, right or wrong. */
export interface Base {
  readonly name: string;
  readonly value: Tree;
  readonly options: JsonObject | undefined;
}

/** A definition made wrong, and what was done to it. */
export interface Mutant {
  readonly text: string;
  readonly fileName: string;
  readonly options: JsonObject | undefined;
  readonly history: string;
}

const root = join(import.meta.dirname, '../../../..');

/** The fixtures of a format, and what lies in the folder of the format beside the project, if there is one. */
export function basesOf(format: string): Base[] {
  const fixtures = pathToFileURL(join(root, `packages/formats/${format}/test/fixtures/`));
  const corpus = join(root, '../shared/corpus', format);
  const found = fixturesIn(fixtures).map(({ name, definition, setup }) => ({
    name,
    text: definition.text,
    fileName: definition.fileName,
    options: setup.options,
  }));
  const files = existsSync(corpus) ? globSync(join(corpus, '*.{json,yaml,yml}')).toSorted() : [];
  const others = files.map((file) => ({
    name: basename(file),
    text: readFileSync(file, 'utf8'),
    fileName: basename(file),
    options: undefined,
  }));
  return [...found, ...others].flatMap(({ text, fileName, name, options }) => {
    const { value } = read(text, { fileName });
    // What is longer takes its time and says no more.
    const isUsable = typeof value === 'object' && value !== null && text.length < 40_000;
    return isUsable ? [{ name, value: value as Tree, options }] : [];
  });
}

/** The same mutant for the same seed: one to three changes of a base in its structure, or as JSON or YAML text. */
export function mutantOf(bases: readonly Base[], seed: number): Mutant {
  const random = new Random(seed);
  const base = random.of(bases);
  const tree = structuredClone(base.value);
  const history = [`${seed}: ${base.name}`];
  const isTextual = random.isOneIn(4);
  for (let left = isTextual ? 0 : 1 + random.below(3); left > 0; left -= 1)
    history.push(mutateStructure(tree, random));
  const isYaml = random.isOneIn(3);
  let text = isYaml ? yamlOf(tree) : JSON.stringify(tree, undefined, random.of([0, 2]));
  for (let left = isTextual ? 1 + random.below(2) : 0; left > 0; left -= 1) {
    const { text: changed, done } = mutateText(text, random);
    text = changed;
    history.push(done);
  }
  const fileName = isYaml ? 'mutant.yaml' : 'mutant.json';
  return { text, fileName, options: base.options, history: history.join(', ') };
}
