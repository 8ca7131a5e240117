import type { Json } from '@dramaturg/compiler';

/** A test fixture of a format: a definition, its setup and its transcripts. */
export interface Fixture {
  /** `plan/greeting` */
  readonly name: string;
  readonly fileName: string;
  readonly text: string;
  readonly options: Readonly<Record<string, string | number>>;
  /** The input of its machine. */
  readonly input: Json | undefined;
  readonly transcripts: Readonly<Record<string, string>>;
}

const files = import.meta.glob<string>(
  '../../../packages/formats/*/test/fixtures/*/*.{json,yaml,transcript}',
  { query: '?raw', import: 'default', eager: true },
);

/** All fixtures, by name. */
const fixtures: ReadonlyMap<string, Fixture> = collected();

/** @throws Error when there is no such fixture */
export function fixture(name: string): Fixture {
  const found = fixtures.get(name);
  if (!found) throw new Error(`There is no fixture "${name}".`);
  return found;
}

function collected(): Map<string, Fixture> {
  const folders = new Map<string, { fileName: string; text: string }[]>();
  for (const [path, text] of Object.entries(files)) {
    const [, format, name, fileName] = /formats\/([^/]+)\/test\/fixtures\/([^/]+)\/(.+)$/.exec(
      path,
    )!;
    const key = `${format}/${name}`;
    folders.set(key, [...(folders.get(key) ?? []), { fileName: fileName!, text }]);
  }
  return new Map([...folders].map(([name, inside]) => [name, fixtureOf(name, inside)]));
}

function fixtureOf(name: string, inside: readonly { fileName: string; text: string }[]): Fixture {
  const isDefinition = ({ fileName }: { fileName: string }) =>
    fileName !== 'setup.json' && !fileName.endsWith('.transcript');
  const { fileName, text } = inside.find(isDefinition)!;
  const setup = JSON.parse(
    inside.find((file) => file.fileName === 'setup.json')?.text ?? '{}',
  ) as Partial<Pick<Fixture, 'options' | 'input'>>;
  const transcripts = inside
    .filter((file) => file.fileName.endsWith('.transcript'))
    .map((file) => [file.fileName.replace(/\.transcript$/, ''), file.text] as const);
  return {
    name,
    fileName,
    text,
    options: setup.options ?? {},
    input: setup.input,
    transcripts: Object.fromEntries(transcripts),
  };
}
