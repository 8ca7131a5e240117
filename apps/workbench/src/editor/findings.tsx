import type { Diagnostic } from '@dramaturg/compiler';
import { suggestedName } from '@dramaturg/compiler/editor';

interface FindingsProps {
  readonly findings: readonly Diagnostic[];
  readonly onPick: (finding: Diagnostic) => void;
  /** Applies the suggestion of the hint to the text. */
  readonly onTake: (finding: Diagnostic, suggestion: string) => void;
}

/** The diagnostics of the definition as a list. A click selects the line. */
export function Findings({ findings, onPick, onTake }: FindingsProps) {
  if (findings.length === 0) return null;
  return (
    <ul className="wb-findings" aria-label="Findings">
      {findings.map((finding, index) => {
        const { code, severity, message, hint, range } = finding;
        const suggestion = suggestedName(hint);
        return (
          <li key={index} data-severity={severity}>
            <button type="button" onClick={() => onPick(finding)}>
              <span className="wb-finding-place">
                {severity} · line {range.start.line} · {code}
              </span>
              <span>{message}</span>
              {hint !== undefined && <span className="wb-hint">{hint}</span>}
            </button>
            {suggestion !== undefined && (
              <button type="button" className="wb-take" onClick={() => onTake(finding, suggestion)}>
                Use “{suggestion}”
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** A text with a suggestion in place of a finding, in the existing quotes. */
export function withSuggestion(text: string, { range }: Diagnostic, suggestion: string): string {
  // Positions are counted with "\n" as line break.
  const lines = text.replaceAll('\r\n', '\n');
  const [from, to] = [range.start.offset, range.end.offset];
  const quote = /^["']/.exec(lines.slice(from, to))?.[0] ?? '';
  return `${lines.slice(0, from)}${quote}${suggestion}${quote}${lines.slice(to)}`;
}
