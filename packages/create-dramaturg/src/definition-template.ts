import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/** The kinds of a first definition. */
export const kinds = ['plan', 'workflow', 'npc', 'graph', 'lifecycle'] as const;
export type Kind = (typeof kinds)[number];

interface KindRow {
  /** The ending of the file's name. */
  readonly suffix: string;
  /** The name of the definition when the author gives none. */
  readonly defaultName: string;
  /** The name of the kind for people. */
  readonly title: string;
  /** The command that runs it, before the name of the file. */
  readonly run: string;
}

export const kindRows: Readonly<Record<Kind, KindRow>> = {
  plan: {
    suffix: '.plan.yaml',
    defaultName: 'appointment',
    title: 'a conversation plan',
    run: 'run',
  },
  workflow: { suffix: '.asl.yaml', defaultName: 'refund', title: 'a workflow', run: 'run' },
  npc: {
    suffix: '.npc.yaml',
    defaultName: 'lighthouse',
    title: 'a scenario for an NPC',
    run: 'run',
  },
  graph: {
    suffix: '.context-graph.yaml',
    defaultName: 'support',
    title: 'a context graph',
    run: 'run',
  },
  lifecycle: {
    suffix: '.lifecycle.yaml',
    defaultName: 'parcel',
    title: 'a lifecycle',
    run: 'start parcels',
  },
};

const folder = new URL('../templates/definitions/', import.meta.url);

/** A file to write: its name, and its text. */
export interface NewFile {
  readonly name: string;
  readonly text: string;
}

/**
 * A first definition with comments, and its tests.
 *
 * @param place the folder for the files, from which the definition names its JSON Schema
 */
export function newDefinition(kind: Kind, name: string, place: string): [NewFile, NewFile] {
  const read = (file: string) =>
    readFileSync(new URL(`${kind}/${file}`, folder), 'utf8').replaceAll('__name__', name);
  const definition = read('definition.yaml').replace('./node_modules', modulesFrom(place));
  return [
    { name: `${name}${kindRows[kind].suffix}`, text: definition },
    { name: `${name}.test.yaml`, text: read('test.yaml') },
  ];
}

/** The path from a folder to the nearest `node_modules` with Dramaturg. */
function modulesFrom(place: string): string {
  const from = resolve(place);
  for (let at = from; ; at = dirname(at)) {
    const modules = join(at, 'node_modules');
    if (existsSync(join(modules, 'dramaturg'))) {
      const path = relative(from, modules).replaceAll('\\', '/');
      return path.startsWith('.') ? path : `./${path}`;
    }
    if (at === dirname(at)) return './node_modules';
  }
}

/** Whether a name can be that of a file and of a definition on every system. */
export function isName(name: string): boolean {
  return /^[a-z0-9][a-z0-9_-]{0,63}$/i.test(name);
}
