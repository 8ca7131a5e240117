import type { Diagnostic as Mark } from '@codemirror/lint';
import type { Text } from '@codemirror/state';
import type { Diagnostic } from '@dramaturg/compiler';

/** Marks only the first line of a range: otherwise, the message about a long part would cover the lines that a person is reading. */
export function markOf({ severity, message, hint, code, range }: Diagnostic, text: Text): Mark {
  const from = Math.min(range.start.offset, text.length);
  return {
    from,
    to: Math.min(range.end.offset, text.lineAt(from).to),
    severity,
    source: code,
    message: hint === undefined ? message : `${message}\n${hint}`,
  };
}
