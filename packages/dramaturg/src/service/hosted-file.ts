import { hasErrors } from '@dramaturg/compiler';
import type { Definition } from '@dramaturg/host';
import { type DefinitionFile, RequestError } from '@dramaturg/service/client';
import { compile } from '../compile.ts';
import { hosted } from '../host.ts';

/**
 * A definition that was sent as a text, for a host.
 *
 * @throws RequestError `definition/errors`
 */
export function hostedFile({ name, text, fileName, format, options }: DefinitionFile): Definition {
  const compiled = compile(text, { fileName, format, options });
  if (!hasErrors(compiled.diagnostics)) return hosted(name, compiled);
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
