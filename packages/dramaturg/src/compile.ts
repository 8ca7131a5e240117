import * as compiler from '@dramaturg/compiler';
import { formats } from './known-formats.ts';

/** How to read a text. All fields are optional: the format is detected from file name and shape. */
export type CompileOptions = Omit<compiler.CompileOptions, 'formats'>;

/**
 * Compiles a definition to an XState machine. `diagnostics` has the problems of the text, each with its line and column.
 * `machine` is present unless one of them is an error. With ports provided, `createActor` runs it.
 *
 * @param text JSON, JSON with comments, or YAML; or a definition that `placesIn` has found inside a file
 */
export function compile(
  text: string | compiler.Source,
  options: CompileOptions = {},
): compiler.Compiled {
  return compiler.compile(text, { ...options, formats });
}

/** Like `compile`, but without a machine: for linters and editors. */
export function check(
  text: string | compiler.Source,
  options: CompileOptions = {},
): compiler.Checked {
  return compiler.check(text, { ...options, formats });
}

/** The definitions inside a file that deploys them, such as a template of CloudFormation. See docs/formats/asl-deployment.md */
export function placesIn(
  text: string,
  options: Omit<compiler.PlacesOptions, 'formats'> = {},
): compiler.Places | undefined {
  return compiler.placesIn(text, { ...options, formats });
}
