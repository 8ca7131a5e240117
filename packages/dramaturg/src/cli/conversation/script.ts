import { visible } from '@dramaturg/compiler/text';
import { UsageError } from '../usage-error.ts';

/**
 * The person's lines of a script: those that begin with `>`, such as `> Ada` and `> user: "Ada"`. All other lines are
 * comments. If no line begins with `>`, every line is the person's.
 */
export function readScript(text: string, name: string): string[] {
  const written = text.split(/\r?\n/).map((line) => line.trim());
  const marked = written.filter((line) => line.startsWith('>'));
  const lines = marked.length > 0 ? marked.flatMap(personsLine) : written;
  const said = lines.filter((line) => line.trim() !== '');
  if (said.length > 0) return said;
  throw new UsageError(
    `The script "${visible(name)}" has no lines of the person.`,
    'Begin each line of the person with ">", such as: > My name is Ada.',
  );
}

function personsLine(line: string): string[] {
  const said = line.slice(1).trim();
  // Transcripts of tests also contain the answers of a model.
  if (said.startsWith('model:')) return [];
  const user = /^user:\s*(.*)$/.exec(said)?.[1];
  return [user === undefined ? said : unquoted(user)];
}

function unquoted(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : text;
  } catch {
    return text;
  }
}
