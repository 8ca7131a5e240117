import { isRecord, type Json, type JsonObject, type Path } from '@dramaturg/compiler';
import type { Exporting } from './gap.ts';

const hole = /\{\{\s*([^{}]*?)\s*\}\}/g;

/** The prompt of an approval as a field of a template: its holes, `{{$.price}}`, are filled by an intrinsic function. */
export function amazonPrompt(prompt: Json, at: Path, exporting: Exporting): JsonObject {
  if (isRecord(prompt)) {
    const parts = Object.entries(prompt).map(([name, part]) =>
      fieldOf(name, part, [...at, name], exporting),
    );
    return { Prompt: Object.fromEntries(parts) };
  }
  return Object.fromEntries([fieldOf('Prompt', prompt, at, exporting)]);
}

function fieldOf(name: string, text: Json, at: Path, exporting: Exporting): [string, Json] {
  if (typeof text !== 'string' || name.endsWith('.$') || !text.includes('{{')) return [name, text];
  const paths = Array.from(text.matchAll(hole), ([, path]) => path!);
  if (!paths.every((path) => /^\$[\w.[\]*$-]*$/.test(path)) || paths.length === 0) {
    exporting.cannot(
      at,
      'Amazon fills only paths into the text of a prompt.',
      'Compute the text in a Pass before, and name its path with "Prompt.$".',
    );
    return [name, text];
  }
  const pieces = text.split(hole).filter((_, index) => index % 2 === 0);
  // Braces and quotes of the text are no holes and no end of the function's argument.
  const format = pieces.map((piece) => piece.replaceAll(/[\\'{}]/g, '\\$&')).join('{}');
  return [`${name}.$`, `States.Format('${format}', ${paths.join(', ')})`];
}
