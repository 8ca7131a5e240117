import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { JsonObject } from '@dramaturg/compiler';
import { read } from '@dramaturg/compiler/format';
import { fixturesIn } from '@dramaturg/testing';
import { sampled } from '../../../../.config/scaled.ts';
import { Random } from './random.ts';
import { mutateStructure, type Tree } from './structure.ts';
import { mutateText, yamlOf } from './text.ts';

/** A definition to mutate, with or without errors. */
export interface Base {
  readonly name: string;
  readonly value: Tree;
  readonly options: JsonObject | undefined;
}

/** A mutated definition and a description of the changes. */
export interface Mutant {
  readonly text: string;
  readonly fileName: string;
  readonly options: JsonObject | undefined;
  readonly history: string;
}

const root = join(import.meta.dirname, '../../../..');

/** The fixtures of a format, and the files in the folder of the format next to the project, if there is one. */
export function basesOf(format: string): Base[] {
  const fixtures = pathToFileURL(join(root, `packages/formats/${format}/test/fixtures/`));
  const corpus = join(root, '../shared/corpus', format);
  const found = fixturesIn(fixtures).map(({ name, definition, setup }) => ({
    name,
    text: definition.text,
    fileName: definition.fileName,
    options: setup.options,
  }));
  const files = existsSync(corpus)
    ? sampled(globSync(join(corpus, '*.{json,yaml,yml}')).toSorted())
    : [];
  const others = files.map((file) => ({
    name: basename(file),
    text: readFileSync(file, 'utf8'),
    fileName: basename(file),
    options: undefined,
  }));
  return [...found, ...others].flatMap(({ text, fileName, name, options }) => {
    const { value } = read(text, { fileName });
    // Longer texts are slow and find no more faults.
    const isUsable = typeof value === 'object' && value !== null && text.length < 40_000;
    return isUsable ? [{ name, value: value as Tree, options }] : [];
  });
}

/** Makes one to three changes in the structure of a base, or in its JSON or YAML text. The same seed makes the same mutant. */
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
