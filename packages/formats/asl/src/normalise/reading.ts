import type { Json, JsonObject } from '@dramaturg/compiler';
import type { Report } from '@dramaturg/compiler/format';
import type { Part } from '../authored.ts';
import type { Dialect, Machine } from '../definition/index.ts';

/** The tools that a workflow declares for all its tasks. */
export interface CommonTools {
  readonly defaults: JsonObject | undefined;
  readonly categories: Readonly<Record<string, unknown>>;
}

/** The data that the parts of one workflow share while they are read. */
export interface Reading {
  readonly dialect: Dialect;
  readonly report: Report;
  /** How many states may still be read. */
  readonly budget: { statesLeft: number };
  /** The tools that the workflow declares for all its tasks. */
  readonly tools?: CommonTools;
  /** The source of templates; undefined when they have been read already. */
  readonly importing?: Importing;
  /** Reads a machine in a state, such as a branch. */
  readonly readMachine: (machine: Part, reading: Reading) => Machine;
}

/** The templates that a workflow may include, and the file that is being read. */
export interface Importing {
  /** Contents of files, by their paths from the folder of the workflow; undefined leaves templates to an agent. */
  readonly files: Readonly<Record<string, Json>> | undefined;
  /** The workflow or template that is being read: its path, its imports, and the files that include it. */
  readonly path: string;
  readonly imports: Readonly<Record<string, unknown>>;
  readonly lock: Readonly<Record<string, unknown>>;
  readonly stack: readonly string[];
}
