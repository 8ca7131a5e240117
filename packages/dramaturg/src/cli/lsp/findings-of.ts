import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Diagnostic } from '@dramaturg/compiler';
import { check, placesIn } from '../../compile.ts';
import { formats } from '../../known-formats.ts';
import { optionsFor } from '../definition-options.ts';
import { standardInput } from '../files.ts';
import { unknownDefinitions } from '../unknown-definitions.ts';

/**
 * What `dramaturg check` finds in the text of an editor, without notes. A file that is no definition, such as `package.json`, has no
 * findings: an editor opens all its JSON and YAML with this server.
 */
export async function findingsOf(text: string, uri: string): Promise<readonly Diagnostic[]> {
  const file = fileOf(uri);
  const fileName = file === standardInput ? uri.slice(uri.lastIndexOf('/') + 1) : basename(file);
  const found = placesIn(text, { fileName });
  if (found) {
    return found.places.flatMap(({ source, format, options }) =>
      source ? check(source, { format, ...(options && { options }) }).diagnostics : [],
    );
  }
  const options = await optionsFor(text, file, {}, unknownDefinitions);
  const checked = check(text, { fileName, options });
  const isMeant = formats.some(({ suffixes }) =>
    suffixes.some((suffix) => fileName.toLowerCase().endsWith(suffix)),
  );
  if (checked.format === undefined && !isMeant) return [];
  return checked.diagnostics.filter(({ severity }) => severity !== 'info');
}

/** The path of a file; that of standard input for a text that is in no file yet. */
function fileOf(uri: string): string {
  try {
    return fileURLToPath(uri);
  } catch {
    return standardInput;
  }
}
