import * as compiler from '@dramaturg/compiler';
import { formats } from './known-formats.ts';

/** How to read a text. All of it may be left out: the format is found by file name and shape. */
export type CompileOptions = Omit<compiler.CompileOptions, 'formats'>;

/**
 * Makes an XState machine of a definition. What is wrong with the text is in `diagnostics`, each finding with its line
 * and column; `machine` is there when none of them is an error. Give it ports, and `createActor` runs it.
 *
 * @param text JSON, JSON with comments, or YAML
 */
export function compile(text: string, options: CompileOptions = {}): compiler.Compiled {
  return compiler.compile(text, { ...options, formats });
}

/** Like `compile`, without making a machine: all that a linter or an editor needs. */
export function check(text: string, options: CompileOptions = {}): compiler.Checked {
  return compiler.check(text, { ...options, formats });
}
