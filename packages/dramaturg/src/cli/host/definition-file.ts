import { basename } from 'node:path';
import type { Compiled } from '@dramaturg/compiler';
import { compile } from '../../compile.ts';
import { tellProblems } from '../compile.ts';
import { type DefinitionOptions, optionsFor, requireOptions } from '../definition-options.ts';
import { readText, standardInput, statusOf } from '../files.ts';
import type { StartOrder } from './wire.ts';

/** A definition in a file, as it goes to a host. */
export interface DefinitionFile {
  readonly compiled: Compiled;
  readonly order: Exclude<StartOrder['definition'], string>;
}

/** Reads and compiles a definition, and tells its mistakes. @returns undefined when it has errors */
export async function readDefinition(
  file: string,
  name: string,
  { format, option }: DefinitionOptions,
): Promise<DefinitionFile | undefined> {
  const text = await readText(file);
  const fileName = file === standardInput ? undefined : basename(file);
  const options = await optionsFor(text, file, { option });
  const compiled = compile(text, { fileName, format, options });
  requireOptions(compiled);
  tellProblems(compiled, file);
  if (!compiled.chart) return undefined;
  return {
    compiled,
    order: {
      name,
      text,
      ...(fileName === undefined ? {} : { fileName }),
      ...(format === undefined ? {} : { format }),
      ...(options === undefined ? {} : { options }),
    },
  };
}

/** `flows/intake.plan.json` is the definition "intake". */
export function nameOf(file: string): string {
  if (file === standardInput) return 'definition';
  const base = basename(file);
  const dot = base.indexOf('.', 1);
  return dot === -1 ? base : base.slice(0, dot);
}

/** Whether a word means a file and not the name of a definition. */
export async function meansFile(word: string): Promise<boolean> {
  if (word === standardInput || /[\\/]|\.(json|jsonc|json5|ya?ml)$/i.test(word)) return true;
  return (await statusOf(word))?.isFile() === true;
}
