import type { Compiled } from '@dramaturg/compiler';
import type { DefinitionFile } from '@dramaturg/service/client';
import { check, compile } from '../compile.ts';

/** What a service needs of a compiled text. It is plain data, so a thread can answer it. */
export type CompiledFile = Pick<Compiled, 'chart' | 'kind' | 'diagnostics'>;

/** A text to compile, or only to check. */
export type FileToCompile = Omit<DefinitionFile, 'name'> & { readonly checkOnly?: boolean };

export function compiledFile({ text, checkOnly, ...file }: FileToCompile): CompiledFile {
  const { fileName, format, options } = file;
  const { chart, kind, diagnostics } = (checkOnly ? check : compile)(text, {
    fileName,
    format,
    options,
  });
  return { ...(chart && { chart }), ...(kind && { kind }), diagnostics };
}
