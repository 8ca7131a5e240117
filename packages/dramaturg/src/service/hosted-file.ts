import { type Compiled, hasErrors } from '@dramaturg/compiler';
import type { Definition } from '@dramaturg/host';
import { type DefinitionFile, RequestError } from '@dramaturg/service/client';
import { hosted } from '../host.ts';
import { compileBeside } from './compile-beside.ts';

/**
 * A definition that was sent as a text, for a host.
 *
 * @throws RequestError `definition/errors`, `definition/too-large`
 */
export async function hostedFile({ name, ...file }: DefinitionFile): Promise<Definition> {
  const compiled = await compileBeside(file);
  if (!hasErrors(compiled.diagnostics))
    return hosted(name, { ...compiled, source: { text: file.text } } as Compiled);
  throw new RequestError('definition/errors', `The definition "${name}" has errors.`, {
    hint: 'Run "dramaturg check" to see them.',
    errors: compiled.diagnostics
      .filter(({ severity }) => severity === 'error')
      .map(({ message, range: { start } }) => ({
        path: '/text',
        detail: `${start.line}:${start.column} ${message}`,
      })),
  });
}
